# Cases of Maven with surefire, and of Gradle. Sourced by record.sh.

repo=$deb/usr/share/maven-repo

# version of an artifact in the unpacked Debian repository.
version() { find "$repo/$1" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sed 's#.*/##' | grep '^[0-9]' | sort -V | tail -1; }

# mavenproject NAME makes a project with one class and JUnit 5.
mavenproject() {
  project "$1"
  mkdir -p src/main/java/shop src/test/java/shop
  cat >pom.xml <<X
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>shop</groupId><artifactId>shop</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>$(version org/junit/jupiter/junit-jupiter)</version><scope>test</scope></dependency></dependencies>
</project>
X
  javaclass
}

javaclass() {
  cat >src/main/java/shop/Cart.java <<'X'
package shop;

public class Cart {
  static int total(int a, int b) {
    return a - b;
  }

  static void pay() {
    throw new IllegalStateException("nothing to pay");
  }
}
X
}
maven="mvn -B -o -Dmaven.repo.local=\$MAVEN_REPO"
export MAVEN_REPO=$repo

mavenproject mavenfail
cat >src/test/java/shop/CartTest.java <<'X'
package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CartTest {
  @Test
  void addsPrices() {
    assertEquals(3, Cart.total(1, 2), "sum");
  }

  @Test
  void pays() {
    Cart.pay();
  }
}
X
record mvn-fail "$maven test"
record mvn-quiet "$maven -q test"
record mvn-throw "$maven test -Dtest=CartTest#pays"
record mvn-notests "$maven test -Dtest=Nothing"

mavenproject mavenbuild
sed -i 's/return a - b;/return "a";/' src/main/java/shop/Cart.java
record mvn-compile "$maven test"

mavenproject mavenempty
record mvn-empty "$maven test"

project gradle
mkdir -p src/main/java/shop src/test/java/shop
java=/usr/share/java
printf "apply plugin: 'java'\ndependencies { testCompile files('%s/junit4.jar', '%s/hamcrest-core.jar') }\n" $java $java >build.gradle
javaclass
cat >src/test/java/shop/CartTest.java <<'X'
package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CartTest {
  @Test
  public void addsPrices() {
    assertEquals("sum", 3, Cart.total(1, 2));
  }
}
X
printf '#!/bin/sh\nexec unshare -m sh -c "mount -t overlay overlay -o lowerdir=%s/usr/share:/usr/share /usr/share && exec sh /usr/share/gradle/bin/gradle --offline --no-daemon $*"\n' "$deb" >gradlew
chmod +x gradlew
record gradle-fail './gradlew test'
record gradle-nomatch './gradlew test --tests Nothing'
sed -i 's/return a - b;/return "a";/' src/main/java/shop/Cart.java
record gradle-compile './gradlew test'
