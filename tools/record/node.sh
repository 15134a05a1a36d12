# Cases of jest, vitest, mocha, playwright, tsc, eslint and node. Sourced by record.sh.

# nodeproject NAME makes a project that finds the tools.
nodeproject() {
  project "$1"
  ln -s "$tools/npm/node_modules" node_modules
  echo '{"name": "shop", "private": true, "version": "1.0.0"}' >package.json
}
bin=node_modules/.bin

nodeproject jest
mkdir -p src __tests__
printf 'function total(prices) {\n  return prices.reduce((a, b) => a - b, 0);\n}\nfunction boom() {\n  throw new TypeError("nothing to pay");\n}\nmodule.exports = { total, boom };\n' >src/cart.js
cat >__tests__/cart.test.js <<'X'
const { total, boom } = require("../src/cart");

describe("cart", () => {
  test("is fine", () => expect(total([])).toBe(0));
  describe("total", () => {
    it("adds prices", () => {
      console.log("adding");
      expect(total([1, 2])).toBe(3);
    });
    it("pays", () => {
      boom();
    });
  });
});
X
printf 'test("broken", () => {\n  expect(1).toBe(;\n});\n' >__tests__/syntax.test.js
printf 'const x = require("../src/absent");\ntest("absent", () => expect(x).toBe(1));\n' >__tests__/absent.test.js
record jest-fail "$bin/jest --ci __tests__/cart.test.js"
record jest-throw "$bin/jest --ci __tests__/cart.test.js -t pays"
record jest-colour "FORCE_COLOR=1 NO_COLOR= $bin/jest --ci --colors __tests__/cart.test.js"
record jest-syntax "$bin/jest --ci __tests__/syntax.test.js"
record jest-module "$bin/jest --ci __tests__/absent.test.js"
record jest-notests "$bin/jest --ci nothing-like-this"
record jest-allskipped "$bin/jest --ci __tests__/cart.test.js -t nothing-like-this"
record jest-ok "$bin/jest --ci __tests__/cart.test.js -t fine"

nodeproject vite # vitest hides frames in a folder called vitest
mkdir -p src
printf 'export function total(prices: number[]) {\n  return prices.reduce((a, b) => a - b, 0);\n}\nexport function boom() {\n  throw new TypeError("nothing to pay");\n}\n' >src/cart.ts
cat >src/cart.test.ts <<'X'
import { describe, expect, it } from "vitest";
import { boom, total } from "./cart";

describe("cart", () => {
  it("is fine", () => expect(total([])).toBe(0));
  describe("total", () => {
    it("adds prices", () => {
      expect(total([1, 2])).toBe(3);
    });
    it("pays", () => boom());
  });
});
X
printf 'import { x } from "./absent";\nimport { expect, it } from "vitest";\nit("absent", () => expect(x).toBe(1));\n' >src/absent.test.ts
record vitest-fail "$bin/vitest run src/cart.test.ts"
record vitest-throw "$bin/vitest run src/cart.test.ts -t pays"
record vitest-colour "FORCE_COLOR=1 NO_COLOR= $bin/vitest run src/cart.test.ts"
record vitest-module "$bin/vitest run src/absent.test.ts"
record vitest-notests "$bin/vitest run nothing-like-this"
record vitest-allskipped "$bin/vitest run src/cart.test.ts -t nothing-like-this"
record vitest-ok "$bin/vitest run src/cart.test.ts -t fine"

nodeproject mocha
mkdir -p test hook
cat >test/cart.js <<'X'
const assert = require("node:assert");

describe("cart", () => {
  it("is fine", () => {});
  describe("total", () => {
    it("adds prices", () => {
      assert.strictEqual(1 - 2, 3);
    });
    it("pays", () => {
      throw new TypeError("nothing to pay");
    });
  });
});
X
printf 'describe("db", () => {\n  before(() => {\n    throw new Error("no database");\n  });\n  it("reads", () => {});\n});\n' >hook/db.js
printf 'describe("later", () => {});\n' >hook/none.js
record mocha-fail "$bin/mocha"
record mocha-dot "$bin/mocha --reporter dot"
record mocha-hook "$bin/mocha hook/db.js"
record mocha-notests "$bin/mocha hook/none.js"
record mocha-nofiles "$bin/mocha nothing/*.js"
record mocha-ok "$bin/mocha -g fine"

nodeproject playwrite # tests without a browser
mkdir -p tests
cat >tests/order.spec.js <<'X'
const { test, expect } = require("@playwright/test");

test.describe("orders", () => {
  test("is fine", () => {});
  test("lists", () => {
    expect([1, 2], "two orders").toHaveLength(3);
  });
  test("pays", () => {
    throw new TypeError("nothing to pay");
  });
});
X
record playwright-fail "$bin/playwright test --reporter=list"
record playwright-line "$bin/playwright test --reporter=line -g pays"
record playwright-notests "$bin/playwright test nothing-like-this"
record playwright-ok "$bin/playwright test -g fine"

nodeproject tsc
cat >a.ts <<'X'
const n: number = "seven";
function f(x: { a: string; b: number }): string {
  return x.c;
}
f({ a: 1, b: 2 });
X
record tsc-fail "$bin/tsc --noEmit a.ts"
record tsc-pretty "NO_COLOR= FORCE_COLOR=1 $bin/tsc --noEmit --pretty a.ts"

nodeproject eslint
mkdir -p src
printf 'export default [{ rules: { "no-unused-vars": "warn", "no-undef": "error", eqeqeq: "error" } }];\n' >eslint.config.mjs
printf 'const unused = 1;\nif (window == null) {\n  go();\n}\n' >src/b.js
printf 'const unused = 1;\n' >src/a.js
record eslint-fail "$bin/eslint src"

nodeproject nodejs
mkdir -p empty
printf 'const deep = require("./lib");\ndeep.run();\n' >main.js
printf 'exports.run = () => {\n  const user = undefined;\n  return user.name;\n};\n' >lib.js
printf 'const = 5;\n' >syntax.js
printf 'require("./nowhere");\n' >absent.js
printf 'Promise.reject(new Error("nobody listens"));\n' >reject.js
cat >cart.test.js <<'X'
const test = require("node:test");
const assert = require("node:assert");

test("is fine", () => {});
test("cart", async (t) => {
  await t.test("adds prices", () => {
    assert.strictEqual(1 - 2, 3);
  });
});
X
record node-stack 'node main.js'
record node-syntax 'node syntax.js'
record node-module 'node absent.js'
record node-reject 'node reject.js'
record node-test 'node --test --test-reporter=spec'
record node-test-tap 'node --test --test-reporter=tap'
record node-test-ok "node --test --test-name-pattern=fine"
cd empty && record node-test-none 'node --test'
