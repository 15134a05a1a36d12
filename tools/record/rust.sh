# Cases of cargo. Sourced by record.sh.

# crate NAME makes a library crate with the source on standard input.
crate() {
  project "$1"
  mkdir -p src
  printf '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n' >Cargo.toml
  cat >src/lib.rs
  export CARGO_TARGET_DIR=$work/$1/target
}

crate cargofail <<'X'
/// Adds up.
///
/// ```
/// assert_eq!(shop::total(&[1]), 1);
/// ```
pub fn total(prices: &[i32]) -> i32 {
    prices.iter().sum::<i32>() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_fine() {}

    #[test]
    fn adds_prices() {
        println!("adding");
        assert_eq!(total(&[1, 2]), 3, "the sum of {:?}", [1, 2]);
    }

    #[test]
    fn finds() {
        let none: Option<i32> = None;
        none.expect("an order");
    }

    #[test]
    #[should_panic(expected = "empty")]
    fn must_panic() {}

    #[test]
    fn returns_err() -> Result<(), String> {
        Err("no luck".into())
    }
}
X
record cargo-fail 'cargo test --offline'
record cargo-expect 'cargo test --offline finds'
record cargo-backtrace 'RUST_BACKTRACE=1 cargo test --offline finds'
record cargo-shouldpanic 'cargo test --offline must_panic'
record cargo-result 'cargo test --offline returns_err'
record cargo-doctest 'cargo test --offline --doc'
record cargo-notests 'cargo test --offline nothing_like_this'
record cargo-ok 'cargo test --offline is_fine'

crate cargobuild <<'X'
fn name() -> String {
    let unused = 1;
    7
}

pub fn other() -> i32 {
    missing()
}
X
record cargo-build 'cargo build --offline'
record cargo-compile 'cargo test --offline'

crate cargointegration <<'X'
pub fn two() -> i32 { 1 }
X
mkdir -p tests
printf '#[test]\nfn it_is_two() {\n    assert!(shop::two() == 2);\n}\n' >tests/two.rs
record cargo-integration 'cargo test --offline'
