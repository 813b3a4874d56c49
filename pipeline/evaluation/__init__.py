"""Outcomes held against what is known to be right. Pure; `askfirst evaluate` runs it."""
