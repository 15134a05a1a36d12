# Cases of pytest, unittest and plain Python. Sourced by record.sh.

project pyfail
mkdir -p shop tests
touch shop/__init__.py
cat >shop/cart.py <<'X'
def total(prices):
    return sum(prices) - 1


def find(items, name):
    return items[name]
X
cat >tests/test_cart.py <<'X'
import pytest

from shop.cart import find, total


def test_fine():
    assert total([1]) == 0


def test_total():
    prices = [1, 2]
    print("adding", prices)
    assert total(prices) == 3, "the sum is off"


def test_find():
    assert find({"a": 1}, "b") == 1


@pytest.mark.parametrize("n", [1, 2])
def test_each(n):
    assert n == 1


class TestCart:
    def test_method(self):
        assert {"a": 1, "b": 2} == {"a": 1, "b": 3}


@pytest.fixture
def database():
    raise ConnectionError("no database at port 5432")


def test_with_database(database):
    assert database
X
record pytest-fail 'python3 -m pytest tests'
record pytest-quiet 'python3 -m pytest -q --tb=short tests'
record pytest-line 'python3 -m pytest -q --tb=line tests'
record pytest-notb 'python3 -m pytest -q --tb=no tests'
record pytest-native 'python3 -m pytest --tb=native tests'
record pytest-exception 'python3 -m pytest tests -k find'
record pytest-param 'python3 -m pytest tests -k each'
record pytest-class 'python3 -m pytest tests/test_cart.py::TestCart'
record pytest-fixture 'python3 -m pytest tests -k database'
record pytest-colour 'python3 -m pytest --color=yes tests -k total'
record pytest-notests 'python3 -m pytest tests -k nothing_like_this'
record pytest-ok 'python3 -m pytest tests -k fine'

project pybroken
printf 'from nowhere import thing\n\n\ndef test_thing():\n    assert thing\n' >test_import.py
record pytest-import 'python3 -m pytest'
rm test_import.py
printf 'def test_x(:\n    pass\n' >test_syntax.py
record pytest-syntax 'python3 -m pytest'
rm test_syntax.py
record pytest-empty 'python3 -m pytest'

project pyplain
cat >test_sum.py <<'X'
import unittest


class SumTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(1 + 1, 3, "arithmetic is off")

    def test_key(self):
        {}["missing"]
X
cat >main.py <<'X'
import json


def load(text):
    return json.loads(text)


def main():
    try:
        load("{")
    except ValueError as e:
        raise RuntimeError("the settings are broken") from e


main()
X
printf 'def main()\n    pass\n' >syntax.py
record python-unittest 'python3 -m unittest'
record python-unittest-none 'python3 -m unittest -k nothing_like_this'
record python-traceback 'python3 main.py'
record python-syntax 'python3 syntax.py'
