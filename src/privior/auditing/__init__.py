"""Audits: attacks on what mechanisms promise. A passed audit is evidence, never a proof."""

from privior.auditing.enumeration import EnumerationAudit, audit
