// Generated from the errors of the service; changes here are lost.

/** `error_code` of each error, by its name. */
export const ERROR_CODES = {
  MissingToken: 1001,
  PermissionDenied: 1003,
  RequirePasswordChange: 1004,
  TokenExpired: 1005,
  RefreshTokenInvalid: 1006,
  SecondFactorRequired: 1007,
  SecondFactorMissing: 1008,
  ConfirmationRequired: 1009,
  InternalServerError: 2001,
  VenueUnreachable: 2003,
  Busy: 2004,
  BadRequest: 3001,
  WrongUserNamePassword: 3002,
  NewResourceNotFound: 4004,
  MethodNotAllowed: 4051,
  IdempotencyConflict: 4091,
  IdempotencyInProgress: 4092,
  ApprovalRequired: 4093,
  Misdirected: 4211,
  RateLimited: 4291,
} as const

/** Why a request was refused, for machines: `code` of `error_details`. */
export type DetailCode =
  | 'REQUIRED'
  | 'TYPE'
  | 'FORMAT'
  | 'RANGE'
  | 'ENUM'
  | 'UNKNOWN_FIELD'
  | 'TOO_LARGE'
  | 'MALFORMED_JSON'
  | 'MALFORMED_ID'
  | 'ENCODING'
  | 'INSUFFICIENT_BALANCE'
  | 'STATE_NOT_ALLOWED'
  | 'SUM_MISMATCH'
  | 'SCALE'
  | 'QUOTE_EXPIRED'
  | 'QUOTE_MISMATCH'
  | 'STALE_PRICE'
  | 'NO_LIQUIDITY'
  | 'NOT_ALLOWLISTED'
  | 'TAG_REQUIRED'
  | 'INVALID_ADDRESS'
  | 'UNSUPPORTED_BY_VENUE'
  | 'DUPLICATE'
  | 'STALE_VERSION'
  | 'NOT_FOUND'
  | 'UNKNOWN_ASSET'
  | 'ASSET_MISMATCH'
  | 'UNBALANCED'
  | 'PERIOD_CLOSED'
  | 'FEE_MISMATCH'
  | 'ANOTHER_PERSON'
  | 'IN_USE'
  | 'CONFLICT'
  | 'WEAK_PASSWORD'
  | 'WRONG_CODE'
  | 'WRONG_PASSKEY'
  | 'SIGN_IN_REFUSED'
  | 'BELOW_MINIMUM'
  | 'ABOVE_MAXIMUM'
  | 'REFUSED_BY_VENUE'
  | 'NOT_ACTIVE'
  | 'LOCKED'
  | 'METHOD_NOT_ALLOWED'
  | 'HALTED'
  | 'FROZEN'
  | 'WALLET_OF_ANOTHER_CUSTOMER'
  | 'RETENTION_PERIOD'
  | 'LIMIT_EXCEEDED'
  | 'DAILY_LIMIT_EXCEEDED'
  | 'POLICY_DENIED'
  | 'APPROVAL_REQUIRED'
  | 'PERMISSION_REQUIRED'
  | 'API_KEY_REVOKED'
  | 'API_KEY_EXPIRED'
  | 'API_KEY_ROTATED'
  | 'API_KEY_NETWORK'
