"""Errors that the API turns into answers."""


class BankError(Exception):
    status = 400
    code = "bad_request"


class UnknownAccession(BankError):
    status = 404
    code = "unknown_accession"


class NotEnoughSeed(BankError):
    status = 409
    code = "not_enough_seed"


class UnderEmbargo(BankError):
    status = 423
    code = "under_embargo"


class BadRow(BankError):
    status = 422
    code = "bad_row"
