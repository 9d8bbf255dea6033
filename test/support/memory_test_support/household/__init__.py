"""Synthetic histories of a household robot, each with questions and their truth.

Made as H-EMV, section IV-A, makes them of TEACh: one to five episodes a day, no nights, now and
then a day without any. Nothing of TEACh is in them.
"""
