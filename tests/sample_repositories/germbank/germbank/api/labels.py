"""Stickers for packets and drawers."""

from fastapi import APIRouter, Query
from fastapi.responses import Response

from germbank.schemas import LabelSheet
from germbank.services import labels

router = APIRouter(tags=["labels"])


@router.get("/accessions/{number}/label")
def single_label(number: str, size: str = Query("packet", pattern="^(packet|drawer)$"), copies: int = Query(1, ge=1, le=20)):
    """For the small label printer on the bench."""
    drawn = [labels.render_label(number, size)] * copies
    return Response("\n".join(drawn), media_type="application/zpl")


@router.post("/labels/sheet")
def label_sheet(body: LabelSheet):
    """A4 with 24 stickers."""
    drawn = [labels.render_label(number, body.size) for number in body.accessions]
    return Response(labels.lay_out(drawn, body.start_at), media_type="text/html")
