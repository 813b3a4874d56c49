import pytest

from germbank.errors import BadRow
from germbank.services import csvio


def test_missing_column():
    (_, row), = csvio.read_rows("genus,species,seed_count\nSecale,,300\n")
    with pytest.raises(BadRow):
        csvio.to_accession(row)
