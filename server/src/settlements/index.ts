export { settlementsEndpoints } from './settlements.http.ts'
export { settlementsDeskFeed } from './desk-feed.ts'
export { settlementsTasks } from './transfers.ts'
