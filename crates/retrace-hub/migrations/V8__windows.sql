-- Windows: members without a chain, each for a time.

-- When a window ends; none of a machine.
ALTER TABLE machines ADD COLUMN ends_at bigint;
-- True of a window that a sign-in at the provider opened: it ends with the sign-in, however that ends.
ALTER TABLE machines ADD COLUMN by_provider boolean NOT NULL DEFAULT false;

-- The role of a window in which a person signs in without a token; none where that is not offered.
ALTER TABLE provider ADD COLUMN window_role text CHECK (window_role IN ('reviewer', 'writer', 'auditor'));
