from germbank.schemas import AccessionIn
from germbank.services import intake


def test_number_and_name(monkeypatch):
    kept = []
    monkeypatch.setattr(intake.accessions, "insert", kept.append)
    monkeypatch.setattr(intake.accessions, "highest", lambda: 41)
    lot = AccessionIn(genus="triticum ", species="Dicoccum", seed_count=400)
    record = intake.register_accession(lot, source="desk")
    assert record["number"] == "GB-000042"
    assert (record["genus"], record["species"]) == ("Triticum", "dicoccum")
    assert kept == [record]
