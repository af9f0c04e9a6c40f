export { settlementsEndpoints } from './settlements.http.ts'
export { settlementsDeskFeed } from './desk-feed.ts'
export { settlementsTasks } from './transfers.ts'
export {
  IDLE_PART_STATES,
  OPEN_STATES,
  PART_MOVES,
  SETTLEMENT_MOVES,
} from './settlements.schema.ts'
