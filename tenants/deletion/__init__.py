"""Deletion of an account: an owner requests it, can cancel it for a while, and then it is carried out."""
