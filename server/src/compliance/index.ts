/** What people decide about what screening has found. */
export { complianceEndpoints } from './cases.http.ts'
export { complianceDeskFeed } from './desk-feed.ts'
