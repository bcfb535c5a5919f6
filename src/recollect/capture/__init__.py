"""From hook payloads and transcripts to lessons: spool, payload, filter, extract; pure but for the spool."""
