from germbank.services import labels


def test_starts_at_the_first_free_sticker():
    page = labels.lay_out(["a", "b"], start_at=3)
    assert page.startswith("<section><div></div><div></div><div>a</div>")
