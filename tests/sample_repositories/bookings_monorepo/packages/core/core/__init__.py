"""Tables, prices and rules that both applications share."""
