"""Files in and files out.

Has to be mounted before ``accessions`` so that ``/accessions/export`` is not
taken for an accession number.
"""

from fastapi import APIRouter, File, Form, Query, UploadFile
from fastapi.responses import PlainTextResponse

from germbank.errors import BankError
from germbank.services import catalogue, csvio, intake

router = APIRouter(prefix="/accessions", tags=["files"])


@router.post("/import")
async def import_accessions(
    file: UploadFile = File(...),
    delimiter: str = Form(","),
    dry_run: bool = Form(False),
):
    """Takes in all rows of a collecting trip's spreadsheet."""
    text = (await file.read()).decode("utf-8-sig")
    done, failed = [], []
    for line, row in csvio.read_rows(text, delimiter):
        try:
            body = csvio.to_accession(row)
            if dry_run:
                intake.check(body)
            else:
                done.append(intake.register_accession(body, source="import"))
        except (BankError, ValueError) as exc:
            failed.append({"line": line, "error": str(exc)})
    return {"created": done, "failed": failed}


@router.get("/export", response_class=PlainTextResponse)
def export_accessions(
    genus: str | None = None,
    storage: str | None = None,
    columns: str = Query("number,genus,species,seed_count", description="Which ones, and in which order"),
):
    """The catalogue as a CSV file."""
    found = catalogue.search(catalogue.Criteria(genus=genus, storage=storage))
    return csvio.write_rows(found, columns.split(","))
