-- What the Memory Stores API says of stores beside their memories. A store without a row is not shown there. A deleted store
-- keeps its row and its history; the API alone does not know it any more.

CREATE TABLE api_stores (
    store_id       INTEGER PRIMARY KEY REFERENCES stores (id),
    description    TEXT    NOT NULL DEFAULT '',
    metadata       TEXT    NOT NULL DEFAULT '{}',
    updated_at     INTEGER NOT NULL,
    archived_at    INTEGER,
    deleted_at     INTEGER
) STRICT;

CREATE TRIGGER api_stores_no_delete BEFORE DELETE ON api_stores BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;
CREATE TRIGGER api_stores_no_replace BEFORE INSERT ON api_stores
    WHEN EXISTS (SELECT 1 FROM api_stores WHERE store_id = NEW.store_id)
    BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;
CREATE TRIGGER api_stores_archive_once BEFORE UPDATE ON api_stores
    WHEN NOT (NEW.store_id IS OLD.store_id AND (OLD.archived_at IS NULL OR NEW.archived_at IS OLD.archived_at))
    BEGIN SELECT RAISE (ABORT, 'archiving is one-way'); END;

-- A store made by the API lives in the log alone until it is mounted: its root begins with "log:". Mounting gives it a
-- directory and unmounting takes it away; a store that began as a directory keeps it.
DROP TRIGGER stores_keep_identity;
CREATE TRIGGER stores_keep_identity BEFORE UPDATE ON stores
    WHEN NOT (NEW.id IS OLD.id AND NEW.public IS OLD.public AND NEW.created_at IS OLD.created_at
        AND (NEW.root IS OLD.root OR NEW.root IS NOT NULL AND EXISTS (SELECT 1 FROM api_stores a WHERE a.store_id = OLD.id)
            AND (substr(NEW.root, 1, 4) = CAST('log:' AS BLOB)) <> (substr(OLD.root, 1, 4) = CAST('log:' AS BLOB))))
    BEGIN SELECT RAISE (ABORT, 'stores are kept'); END;
