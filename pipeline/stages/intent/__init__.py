"""Stage `intent`: read what the ticket asks for, each part with the words on which it rests."""
