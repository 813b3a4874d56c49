"""Prisma: the tables that a schema file declares."""
