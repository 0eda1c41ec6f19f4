SELECT COALESCE(application_name, ''), COALESCE(state, 'unknown'), COALESCE(sync_state, 'unknown'),
    CASE WHEN pg_is_in_recovery() THEN 0
        ELSE COALESCE(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::int8 END
FROM pg_stat_replication ORDER BY 1
