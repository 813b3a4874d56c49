"""What people type in at the counter."""

from django import forms


class NoteForm(forms.Form):
    """A note on an order."""

    text = forms.CharField()
    visible = forms.BooleanField(required=False)
