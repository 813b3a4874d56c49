from pathlib import Path

from orders.exports import write_rows
from orders.exports.orders import as_row
from orders.models import Customer, Order


def test_money_is_written_with_two_digits() -> None:
    order = Order(id=7, status="paid", total_cents=1250, customer=Customer(name="Mona"))
    assert as_row(order) == [7, "Mona", "paid", "12.50"]


def test_the_number_of_lines_is_told(tmp_path: Path) -> None:
    assert write_rows(tmp_path / "file.csv", [[1], [2]]) == 2
