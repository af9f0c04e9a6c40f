/** How the PostgreSQL that comes with Kontor is set: for one service, on a small machine. */

/**
 * Every commit waits while a new segment is filled with zeros: with the usual 16 MB a tenth of a
 * second.
 */
export const WAL_SEGMENT_MEGABYTES = 1
/**
 * How many segments lie ready, filled, from the first minute on. Checkpoints keep as many by using
 * old ones again.
 */
export const WAL_READY_SEGMENTS = 128

export const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  max_connections: '100',
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  work_mem: '4MB',
  maintenance_work_mem: '32MB',
  min_wal_size: `${WAL_READY_SEGMENTS * WAL_SEGMENT_MEGABYTES}MB`,
  // After each checkpoint every page is logged whole at its first change. Books that grow touch
  // most of their pages: with 512 MB of log, checkpoints came so often that they halved the rate.
  max_wal_size: '4GB',
  // It costs a core what the disk would not notice.
  wal_compression: 'off',
  // For backups.
  max_wal_senders: '2',
  // Each worker costs memory; with a page cache below, workers bring these tables nothing.
  io_method: 'sync',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  autovacuum_max_workers: '2',
  // The statistics of an empty table make plans that read all of it, and within a minute it can
  // have thousands of rows.
  autovacuum_naptime: '10s',
  // Statistics of 6,000 rows instead of 30,000: those of a table that is written fast took a core
  // for most of a second.
  default_statistics_target: '20',
  jit: 'off',
  huge_pages: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  password_encryption: 'scram-sha-256',
}

/** One server for many services at once. */
export const FOR_TESTS: Record<string, string> = {
  fsync: 'off',
  full_page_writes: 'off',
  // It may lie in memory.
  max_wal_size: '512MB',
  max_connections: '300',
}
