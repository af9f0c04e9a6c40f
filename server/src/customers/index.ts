export {
  activeCustomersRead,
  createCustomer,
  customerById,
  customersOfAccounts,
} from './customers.ts'
export { customersEndpoints } from './customers.http.ts'
export { customersDeskFeed } from './desk-feed.ts'
export type { CustomersApp } from './customers.http.ts'
export { BOOKING_SCHEMAS, CUSTOMER_TYPES } from './customers.schema.ts'
export type {
  BookingSchema,
  CreateCustomerBody,
  Customer,
  CustomerType,
} from './customers.schema.ts'
