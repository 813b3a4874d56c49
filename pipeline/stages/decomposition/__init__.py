"""Stage `decomposition`: find what in the code the ticket means, or ask between the candidates that stand."""
