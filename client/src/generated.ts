// Generated from the OpenAPI document; changes here are lost.

export interface paths {
    "/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description Repeated failures slow the caller down (4291 with Retry-After), and nobody who is known. A program that sends the id_token of its last login is known for 90 days. A user who must change the password gets 1004 and changes it with POST /auth/password.
         *
         *     Permission: `public`
         */
        post: operations["post_auth_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Obtain a new access token
         * @description Takes the access token used before, expired or not, and the refresh token of the same login. May be repeated and may run concurrently; 4291 when a session does it in a loop.
         *
         *     Permission: `public`
         */
        post: operations["post_auth_refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the own password
         * @description Give either `email`, also after a login was refused with 1004, or a token. Ends all sessions of the user, except that of the token.
         *
         *     Permission: `public`
         */
        post: operations["post_auth_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who calls, and what the caller may do
         * @description Permission: `authenticated`
         */
        get: operations["get_auth_me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/console/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in from the console
         * @description As POST /auth/login, but the refresh token is in a cookie that scripts cannot read. The session ends when it is not used for a while.
         *
         *     Permission: `public`
         */
        post: operations["post_auth_console_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/console/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Obtain a new access token in the console
         * @description Takes the cookie of POST /auth/console/login. With the access token used before, 1006 unless the cookie is the same user’s. May be repeated and may run concurrently.
         *
         *     Permission: `public`
         */
        post: operations["post_auth_console_refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the own sessions
         * @description Those that have not ended, newest first.
         *
         *     Permission: `authenticated`
         */
        get: operations["get_auth_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session of the own
         * @description Its tokens are no longer accepted.
         *
         *     Permission: `authenticated`
         */
        delete: operations["delete_auth_sessions_by_session_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session
         * @description Its access tokens and its refresh token are no longer accepted.
         *
         *     Permission: `authenticated`
         */
        post: operations["post_auth_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description Permission: `users.write`
         */
        get: operations["get_users"];
        /**
         * Change a user
         * @description New roles, a new password, a demanded new password, and DISABLED end all sessions of the user at once. Nobody changes their own roles or state.
         *
         *     Permission: `users.write`
         */
        put: operations["put_users"];
        /**
         * Create a user
         * @description Permission: `users.write`
         */
        post: operations["post_users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Permission: `api-keys.write`
         */
        get: operations["get_auth_api_keys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer shows its secret, this once. The program sends it as `Authorization: Bearer kontor_…`. A program that creates a key cannot give it more than it has itself.
         *
         *     Permission: `api-keys.write`
         */
        post: operations["post_auth_api_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permissions that a key can have
         * @description Permission: `api-keys.write`
         */
        get: operations["get_auth_permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/api-keys/{api_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an API key
         * @description Permission: `api-keys.write`
         */
        get: operations["get_auth_api_keys_by_api_key_id"];
        /**
         * Change an API key
         * @description Replaces its label, permissions, networks, limits and end; its secrets stay. It takes effect at once, also on open event streams.
         *
         *     Permission: `api-keys.write`
         */
        put: operations["put_auth_api_keys_by_api_key_id"];
        post?: never;
        /**
         * Revoke an API key
         * @description For good, and at once, also on open event streams. Its record stays.
         *
         *     Permission: `api-keys.write`
         */
        delete: operations["delete_auth_api_keys_by_api_key_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/api-keys/{api_key_id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate an API key
         * @description Makes another secret, which the answer shows, this once. Those of before are accepted until the overlap ends. An overlap of 0 ends them at once.
         *
         *     Permission: `api-keys.write`
         */
        post: operations["post_auth_api_keys_by_api_key_id_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/security-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the security log
         * @description Sign-ins, refusals, and changes of users, roles, passwords and configuration, newest first. Refusals that are alike within a moment are one entry with a count, and appear within a second. `user_id` is whose account it is about, `actor` who did it.
         *
         *     Permission: `audit.read`
         */
        get: operations["get_security_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List accounts
         * @description Permission: `accounts.read`
         */
        get: operations["get_accounts"];
        put?: never;
        /**
         * Open an account of the house
         * @description INCOME takes what is earned, EXPENSE what is spent, HOUSE own funds. Deposits, withdrawals and matchings can be assigned to it. Refused: DUPLICATE (label).
         *
         *     Permission: `accounts.write`
         */
        post: operations["post_accounts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One account
         * @description Permission: `accounts.read`
         */
        get: operations["get_accounts_by_account_id"];
        /**
         * Rename an account of the house
         * @description Bookings keep the label that the account had. Refused: RANGE for an account that no user opened, DUPLICATE (label).
         *
         *     Permission: `accounts.write`
         */
        put: operations["put_accounts_by_account_id"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bookings/accounts/{account_id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balances of an account, keyed by asset
         * @description `total` is what is booked, `trading` what can be traded now, `withdrawing` what can be withdrawn now; each in the account's normal sign. With `at`: what was booked before that time; `trading` and `withdrawing` are null then. Refused: RANGE for a time in the future.
         *
         *     Permission: `accounts.read`
         */
        get: operations["get_bookings_accounts_by_account_id_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bookings/accounts/{account_id}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Statement of an account
         * @description Oldest first: per asset the opening balance, then every booking from `from` (inclusive) to `to` (exclusive; both times of booking) with the balance after it, then per asset the closing balance. CSV by `Accept: text/csv`. Opening and closing lines come beyond `limit`, with the first and the last page.
         *
         *     Permission: `bookings.read`
         */
        get: operations["get_bookings_accounts_by_account_id_statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bookings/trial-balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trial balance
         * @description Per asset the debit and credit balances by type of account, of now or as booked before `at`; the sums of both columns are equal. Refused: RANGE for a time in the future.
         *
         *     Permission: `bookings.read`
         */
        get: operations["get_bookings_trial_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List bookings
         * @description `sequence_from` and `from` are inclusive, `sequence_to` and `to` exclusive; `from` and `to` are times of booking.
         *
         *     Permission: `bookings.read`
         */
        get: operations["get_bookings"];
        put?: never;
        /**
         * Make a manual booking
         * @description One MANUAL booking: at least two legs whose DEBIT and CREDIT quantities are equal in sum. Refused: UNBALANCED, SCALE, UNKNOWN_ASSET, PERIOD_CLOSED, INSUFFICIENT_BALANCE.
         *
         *     Permission: `bookings.create`
         */
        post: operations["post_bookings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bookings/{booking_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One booking
         * @description Permission: `bookings.read`
         */
        get: operations["get_bookings_by_booking_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers
         * @description Without `state`, only ACTIVE customers are listed.
         *
         *     Permission: `customers.read`
         */
        get: operations["get_customers"];
        /**
         * Change a customer
         * @description Replaces the request fields. Refused: STALE_VERSION, DUPLICATE (foreign_id), IN_USE (booking_schema while executions are open), STATE_NOT_ALLOWED (deleted).
         *
         *     Permission: `customers.write`
         */
        put: operations["put_customers"];
        /**
         * Create a customer and its account
         * @description Permission: `customers.write`
         */
        post: operations["post_customers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{customer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One customer
         * @description Permission: `customers.read`
         */
        get: operations["get_customers_by_customer_id"];
        put?: never;
        post?: never;
        /**
         * Delete a customer
         * @description Refused (IN_USE) while the account has a balance or a hold, or while one of its quotes can still be accepted. The customer can still be read, with state DELETED.
         *
         *     Permission: `customers.write`
         */
        delete: operations["delete_customers_by_customer_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/book-transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List book transfers
         * @description `account_id`: those that this account gives or gets.
         *
         *     Permission: `bookings.read`
         */
        get: operations["get_book_transfers"];
        put?: never;
        /**
         * Transfer between customers
         * @description Holds the amount on the account of the customer who gives it, and books it to the other customer within moments. Nothing moves at a venue. It waits while withdrawals of the asset are halted or the account of who gives is frozen. Both customers get a mail with the reason. Refused: CONFLICT (the same account), RANGE (no account of a customer), NOT_ACTIVE, SCALE, HALTED, FROZEN, INSUFFICIENT_BALANCE.
         *
         *     Permission: `book-transfers.create`
         */
        post: operations["post_book_transfers"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/book-transfers/{book_transfer_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One book transfer
         * @description Permission: `bookings.read`
         */
        get: operations["get_book_transfers_by_book_transfer_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/book-transfers/{book_transfer_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a book transfer that waits
         * @description Releases the amount. Refused: STATE_NOT_ALLOWED once it is booked.
         *
         *     Permission: `book-transfers.create`
         */
        post: operations["post_book_transfers_by_book_transfer_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/venues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List integrated venues
         * @description Permission: `venues.read`
         */
        get: operations["get_venues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/venues/{venue_id}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a venue holds for us, by asset
         * @description Asks the venue; who asks often gets its answer of some seconds ago, as `timestamp` says. When it does not answer within 5 s, its last snapshot is given with `stale: true`. A figure that the venue does not report is null.
         *
         *     Permission: `venues.read`
         */
        get: operations["get_venues_by_venue_id_balances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/venues/{venue_id}/protocols": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assets of a venue and their protocols
         * @description Asks the venue. When it does not answer within 5 s, its last answer is given; 2003 when there is none.
         *
         *     Permission: `venues.read`
         */
        get: operations["get_venues_by_venue_id_protocols"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/market-data/prices/v2/{asset}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices of assets in another
         * @description Prices come from the venues' tickers: the direct pair, its inverse, or the path with the most volume. Assets without a fresh price are listed in `stale`, and never guessed.
         *
         *     Permission: `market-data.read`
         */
        get: operations["get_market_data_prices_v2_by_asset"];
        put?: never;
        /**
         * Prices of assets in another
         * @description Prices come from the venues' tickers: the direct pair, its inverse, or the path with the most volume. Assets without a fresh price are listed in `stale`, and never guessed.
         *
         *     Permission: `market-data.read`
         */
        post: operations["post_market_data_prices_v2_by_asset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/market-data/prices/v2/{asset}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices of assets in another, with market cap, volume and change
         * @description Prices come from the venues' tickers: the direct pair, its inverse, or the path with the most volume. Assets without a fresh price are listed in `stale`, and never guessed. Market caps take the circulating supply that the aggregator reports; coins without one are listed in `market_cap_stale`.
         *
         *     Permission: `market-data.read`
         */
        get: operations["get_market_data_prices_v2_by_asset_details"];
        put?: never;
        /**
         * Prices of assets in another, with market cap, volume and change
         * @description Prices come from the venues' tickers: the direct pair, its inverse, or the path with the most volume. Assets without a fresh price are listed in `stale`, and never guessed. Market caps take the circulating supply that the aggregator reports; coins without one are listed in `market_cap_stale`.
         *
         *     Permission: `market-data.read`
         */
        post: operations["post_market_data_prices_v2_by_asset_details"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List wallets
         * @description Permission: `treasury.wallets.read`
         */
        get: operations["get_treasury_wallets"];
        put?: never;
        /**
         * Create a wallet
         * @description A VENUE wallet needs venue_id and service_id. A CUSTOMER wallet with them is INTERNAL, without them EXTERNAL. The address must be valid for a protocol of the asset (INVALID_ADDRESS). With configuration.create_external_wallet the venue makes it: CREATING until the venue has answered, then ACTIVE with address and place stored, or FAILED with the reason.
         *
         *     Permission: `treasury.wallets.write`
         */
        post: operations["post_treasury_wallets"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/{wallet_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a wallet, as an array of one
         * @description Permission: `treasury.wallets.read`
         */
        get: operations["get_treasury_wallets_by_wallet_id"];
        /**
         * Change a wallet
         * @description What routes rely on cannot change while they use the wallet (IN_USE). A customer keeps a wallet through which anything has moved (IN_USE). A new address takes routes to this wallet off the allow-list until they are allowed again. Of a wallet that its venue made, only label, type, customer and account are changed; all else is ignored. matching_configurations replaces the matchings made through the wallet for its account, refused as matchings are (DUPLICATE, REQUIRED, RANGE); absent they stay, and go with the wallet to another account.
         *
         *     Permission: `treasury.wallets.write`
         */
        put: operations["put_treasury_wallets_by_wallet_id"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/{wallet_id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Current balance of a wallet at its venue
         * @description An EXTERNAL wallet is refused with UNSUPPORTED_BY_VENUE; 2003 when the venue does not answer within 5 s. A figure the venue does not give is null. Who asks often gets the answer of some seconds ago.
         *
         *     Permission: `treasury.wallets.read`
         */
        get: operations["get_treasury_wallets_by_wallet_id_balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List treasury routes
         * @description Permission: `treasury.routes.read`
         */
        get: operations["get_treasury_wallets_routes"];
        put?: never;
        /**
         * Create a treasury route
         * @description Both wallets hold the same asset; the destination's address is valid for the protocol, with a tag where that needs one (TAG_REQUIRED); `transfer` has the fields that the route fields name. Where the venue keeps an allow-list and transfer.from.destination_external_account_id is empty, the venue makes a collection and its id is kept: in the answer when the venue answered within 5 s, else as soon as it does (event route.collection_created).
         *
         *     Permission: `treasury.routes.write`
         */
        post: operations["post_treasury_wallets_routes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/routes/fields/{from_wallet_id}/{protocol}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fields that a route from this wallet needs
         * @description Permission: `treasury.routes.read`
         */
        get: operations["get_treasury_wallets_routes_fields_by_from_wallet_id_by_protocol"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/routes/{route_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change a treasury route
         * @description Another destination takes the route off the allow-list until it is allowed again, and with an empty transfer.from.destination_external_account_id a collection is made for it; for the same destination the one that was made is kept.
         *
         *     Permission: `treasury.routes.write`
         */
        put: operations["put_treasury_wallets_routes_by_route_id"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/routes/{route_id}/estimate-fee": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate the fee of a transfer
         * @description Where a venue has no levels, all three are equal. A withdrawal within ten minutes may name the fee answered here.
         *
         *     Permission: `treasury.routes.read`
         */
        post: operations["post_treasury_wallets_routes_by_route_id_estimate_fee"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/routes/{route_id}/allow": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Request the allow-listing of the destination
         * @description Only where the venue has an allow-list (vault custody), else UNSUPPORTED_BY_VENUE. transfer.to shows the state. on_allowlist is true once the venue reports it, which may take its approval.
         *
         *     Permission: `treasury.routes.allow`
         */
        put: operations["put_treasury_wallets_routes_by_route_id_allow"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/matchings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List matchings
         * @description Permission: `matchings.read`
         */
        get: operations["get_accounts_matchings"];
        /**
         * Change a matching
         * @description Permission: `matchings.write`
         */
        put: operations["put_accounts_matchings"];
        /**
         * Create a matching
         * @description It assigns movements that become final from now on. Refused: DUPLICATE when an active one has the same asset, direction, type, address and reference.
         *
         *     Permission: `matchings.write`
         */
        post: operations["post_accounts_matchings"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/matchings/{matching_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a matching
         * @description Permission: `matchings.write`
         */
        delete: operations["delete_accounts_matchings_by_matching_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deposits
         * @description `gone_twice=true`: only those that went back to their sender and that their venue took back too, while somebody must act on it.
         *
         *     Permission: `treasury.deposits.read`
         */
        get: operations["get_treasury_deposits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One deposit
         * @description Permission: `treasury.deposits.read`
         */
        get: operations["get_treasury_deposits_by_deposit_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggested owners of a deposit
         * @description Accounts that its source, reference, sender or amount point to, best first, each with the reasons; at most ten. None when nothing of it is left to assign. Nothing is changed.
         *
         *     Permission: `assignments.create`
         */
        get: operations["get_treasury_deposits_by_deposit_id_suggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/return": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return a deposit to its sender
         * @description Makes a withdrawal from the wallet that received the deposit to the account from which it was paid, as the bank named it, and answers the withdrawal. Coins, and money whose payer is not named, go back over the route that is named. Returns what nobody has, or, with `account_id`, what that account got. A REJECTED deposit can be returned too. Refused: STATE_NOT_ALLOWED (not final, reversed, an own transfer, returned already), SUM_MISMATCH (more than is left), REQUIRED (an account or a route), CONFLICT (the route leads elsewhere; the payer is one of ours), and as a withdrawal is. With `dry_run=true` it answers what would be sent, where to and at which fee, and changes nothing; balances, halts and freezes are left to the request itself.
         *
         *     Permission: `treasury.deposits.return`
         */
        post: operations["post_treasury_deposits_by_deposit_id_return"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/venues/{venue_id}/push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Announce a deposit (for venues)
         * @description Called by the venue, which signs it (else 1001). It is a hint to read now what has arrived. Only what is read counts.
         *
         *     Permission: `public`
         */
        post: operations["post_venues_by_venue_id_push"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/transfer-suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggested own transfers of a deposit
         * @description Own transfers to its wallet that have not arrived, and parts of settlements that are expected there, best first, each with the reasons; at most ten. None when the deposit cannot be related. Nothing is changed.
         *
         *     Permission: `assignments.create`
         */
        get: operations["get_treasury_deposits_by_deposit_id_transfer_suggestions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/relate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Relate a deposit to an own transfer or a settlement part
         * @description The deposit needs no assignment then, and the transfer has arrived, or the part of the settlement is paid. Takes either `withdrawal_id` or `part_id`, which needs `settlements.initiate` too. Refused: REQUIRED, STATE_NOT_ALLOWED, CONFLICT (either is related otherwise, or it is another wallet), ASSET_MISMATCH, SUM_MISMATCH, PERIOD_CLOSED.
         *
         *     Permission: `assignments.create`
         */
        post: operations["post_treasury_deposits_by_deposit_id_relate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/unrelate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back what a deposit is related to
         * @description Also of an arrival that Kontor recognised. The deposit is UNASSIGNED again, or PARTIALLY_ASSIGNED where accounts got some of it, and the transfer or the part waits for its arrival. Refused: STATE_NOT_ALLOWED (not related; it brings a withdrawal back; it was named at the settlement by hand), PERIOD_CLOSED.
         *
         *     Permission: `rectifications.create`
         */
        post: operations["post_treasury_deposits_by_deposit_id_unrelate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List withdrawals
         * @description `stuck=true`: only withdrawals that have not ended an hour after their sending began, or, if they are not sent yet, an hour after they were made. `stuck=false`: all others. `unassigned=true`: only those that have left and are not wholly assigned to accounts.
         *
         *     Permission: `treasury.withdrawals.read`
         */
        get: operations["get_treasury_withdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawals_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One withdrawal
         * @description Permission: `treasury.withdrawals.read`
         */
        get: operations["get_treasury_withdrawals_by_withdrawals_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/wallets/routes/{treasury_route_id}/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Withdraw over a route
         * @description If an account is given, blocks the amount on it until the withdrawal has ended. Refused: SCALE, BELOW_MINIMUM, ABOVE_MAXIMUM, FEE_MISMATCH, NOT_ALLOWLISTED, TAG_REQUIRED, INVALID_ADDRESS, UNSUPPORTED_BY_VENUE, INSUFFICIENT_BALANCE, NOT_ACTIVE, WALLET_OF_ANOTHER_CUSTOMER.
         *
         *     Permission: `treasury.withdrawals.create`
         */
        post: operations["post_treasury_wallets_routes_by_treasury_route_id_withdrawals"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawal_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a withdrawal that has not left
         * @description Only while it is PENDING and its sending has not begun (`submitted_at` is null). Releases what was blocked. Refused: STATE_NOT_ALLOWED.
         *
         *     Permission: `treasury.withdrawals.cancel`
         */
        post: operations["post_treasury_withdrawals_by_withdrawal_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawal_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve a withdrawal whose outcome is not reported
         * @description Enters its outcome by hand, and stores who did it and by what evidence. SUCCESS books the withdrawal, FAILED releases what was blocked. The venue is not asked any more. The withdrawal must be UNKNOWN, or PENDING_REVIEW with an `execution_date` that is over. Refused: STATE_NOT_ALLOWED, CONFLICT, DUPLICATE, STALE_VERSION.
         *
         *     Permission: `treasury.withdrawals.resolve`
         */
        post: operations["post_treasury_withdrawals_by_withdrawal_id_resolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawal_id}/recheck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the venue about a withdrawal now
         * @description Answers the withdrawal as it is after the venue was asked. Refused: STATE_NOT_ALLOWED when it has ended; 2003 when the venue does not answer.
         *
         *     Permission: `treasury.withdrawals.resolve`
         */
        post: operations["post_treasury_withdrawals_by_withdrawal_id_recheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawal_id}/review-decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide about a payment that a bank holds for its payee
         * @description Records whether the payment is to be released or withdrawn at the bank, by whom and why. Banks take this at their own desk alone: release or cancel it there too. The withdrawal goes on waiting for what the bank reports, and nothing is sent. It must be PENDING_REVIEW with a `payee_check`. Refused: STATE_NOT_ALLOWED, CONFLICT.
         *
         *     Permission: `treasury.withdrawals.resolve`
         */
        post: operations["post_treasury_withdrawals_by_withdrawal_id_review_decision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/set-aside-items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List set-aside items
         * @description Records of venues that could not be understood, or whose movement could not be booked. Each waits for a person; all others were booked. `system_created_at_from` is inclusive, `system_created_at_to` exclusive.
         *
         *     Permission: `treasury.deposits.read`
         */
        get: operations["get_treasury_set_aside_items"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/set-aside-items/{set_aside_item_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One set-aside item, with its record
         * @description Permission: `treasury.deposits.read`
         */
        get: operations["get_treasury_set_aside_items_by_set_aside_item_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/set-aside-items/{set_aside_item_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a set-aside record again
         * @description Answers the item: RESOLVED when its movements were booked, else OPEN with the reason of now. Refused: STATE_NOT_ALLOWED when it does not wait any more, UNSUPPORTED_BY_VENUE when one record alone cannot be read again; 2003 when the venue does not answer.
         *
         *     Permission: `treasury.set-aside.decide`
         */
        post: operations["post_treasury_set_aside_items_by_set_aside_item_id_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/set-aside-items/{set_aside_item_id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Dismiss a set-aside record with a note
         * @description Nothing is booked, also when the venue reports the record later in a form that is understood. Refused: STATE_NOT_ALLOWED.
         *
         *     Permission: `treasury.set-aside.decide`
         */
        post: operations["post_treasury_set_aside_items_by_set_aside_item_id_dismiss"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/batch/prepare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prepare a batch of withdrawals
         * @description Checks every payment like a single withdrawal, all or none. Blocks for ten minutes what items with an account pay, and answers which go together. Payments become one withdrawal when they have the same source and destination wallet, asset, protocol, speed level, purpose, third_party and transfer.to. Where the transactions of the venue can pay several destinations (BTC from a vault), payments of one source wallet, asset, protocol and speed level share a transaction and its fee.
         *
         *     Permission: `treasury.withdrawals.create`
         */
        post: operations["post_treasury_withdrawals_batch_prepare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/batch/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit prepared withdrawals
         * @description Takes what prepare answered, all or some, unchanged, and makes the withdrawals, one per destination, all or none. Withdrawals with the same external_id share a transaction. What was submitted before is answered again, not made again. Refused: CONFLICT (changed), STATE_NOT_ALLOWED (expired), DUPLICATE, and as a single withdrawal is.
         *
         *     Permission: `treasury.withdrawals.create`
         */
        post: operations["post_treasury_withdrawals_batch_submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assignments of deposits and of withdrawals
         * @description `state=PENDING` lists what waits for a decision or, of a withdrawal in flight, for its end.
         *
         *     Permission: `assignments.read`
         */
        get: operations["get_treasury_assignments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assignments of a deposit
         * @description Permission: `assignments.read`
         */
        get: operations["get_treasury_deposits_by_deposit_id_assignments"];
        put?: never;
        /**
         * Assign a deposit
         * @description Answers the single record for one item, an array for several. One request is atomic. Refused: STATE_NOT_ALLOWED, SUM_MISMATCH, SCALE, NOT_ACTIVE.
         *
         *     Permission: `assignments.create`
         */
        post: operations["post_treasury_deposits_by_deposit_id_assignments"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Decide an assignment of a deposit
         * @description PENDING becomes SUCCESSFUL or REJECTED, REJECTED becomes SUCCESSFUL; nothing else.
         *
         *     Permission: `assignments.decide`
         */
        patch: operations["patch_treasury_deposits_by_deposit_id_assignments"];
        trace?: never;
    };
    "/treasury/account/{account_id}/deposits/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assignments of deposits to an account
         * @description Permission: `assignments.read`
         */
        get: operations["get_treasury_account_by_account_id_deposits_assignments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawal_id}/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assignments of a withdrawal
         * @description Permission: `assignments.read`
         */
        get: operations["get_treasury_withdrawals_by_withdrawal_id_assignments"];
        put?: never;
        /**
         * Assign a withdrawal
         * @description Answers the single record for one item, an array for several. One request is atomic. Refused: STATE_NOT_ALLOWED, SUM_MISMATCH, SCALE, NOT_ACTIVE. In flight the amount is blocked, and the end of the withdrawal decides. After the end, INSUFFICIENT_BALANCE refuses. WALLET_OF_ANOTHER_CUSTOMER refuses a customer when another customer's wallet was paid from, or paid without `third_party`.
         *
         *     Permission: `assignments.create`
         */
        post: operations["post_treasury_withdrawals_by_withdrawal_id_assignments"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Decide an assignment of a withdrawal
         * @description PENDING becomes SUCCESSFUL or REJECTED, REJECTED becomes SUCCESSFUL; nothing else. Not while the withdrawal is in flight.
         *
         *     Permission: `assignments.decide`
         */
        patch: operations["patch_treasury_withdrawals_by_withdrawal_id_assignments"];
        trace?: never;
    };
    "/treasury/account/{account_id}/withdrawals/assignments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Assignments of withdrawals to an account
         * @description Permission: `assignments.read`
         */
        get: operations["get_treasury_account_by_account_id_withdrawals_assignments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/deposits/{deposit_id}/rectifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rectifications of a deposit
         * @description Permission: `rectifications.read`
         */
        get: operations["get_treasury_deposits_by_deposit_id_rectifications"];
        put?: never;
        /**
         * Rectify assignments of a deposit
         * @description Reverses assignments and books others in one step. The sum of the targets must equal that of the origins. With `dry_run=true` it answers the bookings that it would make and changes nothing; it is refused like the request itself.
         *     Refused: REQUIRED (note with OTHER), STATE_NOT_ALLOWED (an origin is not SUCCESSFUL or was rectified, the movement is not final), DUPLICATE, SUM_MISMATCH, SCALE, NOT_ACTIVE, INSUFFICIENT_BALANCE of the account that it debits.
         *
         *     Permission: `rectifications.create`
         */
        post: operations["post_treasury_deposits_by_deposit_id_rectifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/withdrawals/{withdrawal_id}/rectifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rectifications of a withdrawal
         * @description Permission: `rectifications.read`
         */
        get: operations["get_treasury_withdrawals_by_withdrawal_id_rectifications"];
        put?: never;
        /**
         * Rectify assignments of a withdrawal
         * @description Reverses assignments and books others in one step. The sum of the targets must equal that of the origins. With `dry_run=true` it answers the bookings that it would make and changes nothing; it is refused like the request itself.
         *     Refused: REQUIRED (note with OTHER), STATE_NOT_ALLOWED (an origin is not SUCCESSFUL or was rectified, the movement is not final), DUPLICATE, SUM_MISMATCH, SCALE, NOT_ACTIVE, INSUFFICIENT_BALANCE of the account that it debits. WALLET_OF_ANOTHER_CUSTOMER as when it is assigned.
         *
         *     Permission: `rectifications.create`
         */
        post: operations["post_treasury_withdrawals_by_withdrawal_id_rectifications"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List transfer jobs
         * @description Permission: `treasury.jobs.read`
         */
        get: operations["get_treasury_jobs"];
        /**
         * Change, activate or stop a transfer job
         * @description An activated job runs at once. A new interval counts from the last run. A withdrawal that was made is not affected. Refused: SCALE, REQUIRED, RANGE, CONFLICT (a field of another kind of job), UNSUPPORTED_BY_VENUE (the source cannot send, or nothing reports the destination's balance, no CUSTOM fee). STALE_VERSION when version is given and no longer the current one.
         *
         *     Permission: `treasury.jobs.write`
         */
        put: operations["put_treasury_jobs"];
        /**
         * Create a transfer job
         * @description SWEEPING moves what the source has above the target, PROVISION fills the destination up to it, CONDITIONAL moves exactly quantity when every condition holds. Refused: SCALE, REQUIRED, RANGE, CONFLICT (a field of another kind of job), UNSUPPORTED_BY_VENUE (the source cannot send, or nothing reports the destination's balance, no CUSTOM fee).
         *
         *     Permission: `treasury.jobs.write`
         */
        post: operations["post_treasury_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/jobs/{job_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs of a transfer job
         * @description Permission: `treasury.jobs.read`
         */
        get: operations["get_treasury_jobs_by_job_id_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treasury/jobs/{job_id}/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a run of the job
         * @description Asks the venues as a run does and makes the same decision, active or not; nothing is sent or stored. TRANSFERRED: a withdrawal of this quantity would be made.
         *
         *     Permission: `treasury.jobs.read`
         */
        post: operations["post_treasury_jobs_by_job_id_dry_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/price-stream/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Configured price-stream routes
         * @description Permission: `trading.routes.read`
         */
        get: operations["get_price_stream_routes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/price-stream/routes/{route_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prices of the last two hours
         * @description Every ten seconds, oldest first; a moment at which a hop had no price is left out.
         *
         *     Permission: `trading.routes.read`
         */
        get: operations["get_price_stream_routes_by_route_id_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/price-stream/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quotes
         * @description Without `state` those that can still be accepted.
         *
         *     Permission: `trading.quotes.read`
         */
        get: operations["get_price_stream_quotes"];
        put?: never;
        /**
         * Ask for a quote
         * @description Prices both sides, within liquidity, slippage guard and the route's maximum. For a larger quantity `complete` is false. With a hold time the quote is firm. Refused: STALE_PRICE, SCALE, BELOW_MINIMUM, NOT_ACTIVE; 2001 when `request_asset` is neither base nor quote asset of the route.
         *
         *     Permission: `trading.quotes.create`
         */
        post: operations["post_price_stream_quotes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/price-stream/quotes/{quote_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One quote
         * @description Permission: `trading.quotes.read`
         */
        get: operations["get_price_stream_quotes_by_quote_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List executions
         * @description `created_at_from` is inclusive, `created_at_to` exclusive. `stuck=true`: only those that have been under way for five minutes though they do not rest at their venue: at the market's price, CANCELING, not sent, or resting where nobody can ask any more; `stuck=false`: all others. `contradicted=true`: only those whose venue reports something else than a person has entered.
         *
         *     Permission: `trading.executions.read`
         */
        get: operations["get_executions"];
        put?: never;
        /**
         * Execute
         * @description Over a route, or over the best one of a `symbol`, for one customer or several. What each may have to give is blocked before anything is sent; one refusal refuses the whole. A firm quote is kept whatever the market does; a LIMIT price is all-in, as in a quote; mode VOLUME goes with MARKET. Refused: STALE_PRICE, NO_LIQUIDITY, QUOTE_EXPIRED, QUOTE_MISMATCH, STATE_NOT_ALLOWED, SCALE, BELOW_MINIMUM, SUM_MISMATCH, INSUFFICIENT_BALANCE, NOT_ACTIVE, UNSUPPORTED_BY_VENUE, HALTED.
         *
         *     Permission: `trading.executions.create`
         */
        post: operations["post_executions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions/{execution_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One execution
         * @description Permission: `trading.executions.read`
         */
        get: operations["get_executions_by_execution_id"];
        put?: never;
        post?: never;
        /**
         * Cancel an execution
         * @description The wish is recorded in any open state and carried out when it can be. What has not been sent is not sent. What is at its venue comes to CANCELING and the venue is asked; it then becomes CANCELED, DONE when it was filled first, or PROCESSING again when the venue refuses. What is UNKNOWN is canceled once it is known and open. A STOP_MARKET in WAITING_FOR_TRIGGER is CANCELED at once; CANCELING, while its venue is asked, where it may have triggered in what a restored database has lost. Refused: STATE_NOT_ALLOWED when it has ended or its cancellation is requested already.
         *
         *     Permission: `trading.executions.create`
         */
        delete: operations["delete_executions_by_execution_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions/{execution_id}/quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * An execution with its quote
         * @description Permission: `trading.executions.read`
         */
        get: operations["get_executions_by_execution_id_quote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions/{execution_id}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Its orders at venues
         * @description Permission: `trading.executions.read`
         */
        get: operations["get_executions_by_execution_id_orders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions/{execution_id}/orders/fills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The fills of its orders
         * @description Permission: `trading.executions.read`
         */
        get: operations["get_executions_by_execution_id_orders_fills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions/{execution_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an UNKNOWN execution
         * @description Enters by hand what became of its order, and stores who did it and by what evidence. The fills are booked as if the venue had reported them; the rest is not sent again. The venue is asked first, and again later; what it reports against it is shown and not booked. Refused: STATE_NOT_ALLOWED (not UNKNOWN, or sent less than 180 s ago), CONFLICT (the venue answers otherwise), SUM_MISMATCH, ABOVE_MAXIMUM, SCALE, RANGE, DUPLICATE, STALE_VERSION.
         *
         *     Permission: `trading.executions.resolve`
         */
        post: operations["post_executions_by_execution_id_resolve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/executions/{execution_id}/recheck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask the venue about an execution now
         * @description Answers the execution as it is after the venue was asked. Where the venue contradicts what a person has entered, its report is booked in place of that. Refused: STATE_NOT_ALLOWED when it has ended; CONFLICT while a resolved order is open at its venue; 2003 when the venue does not answer.
         *
         *     Permission: `trading.executions.resolve`
         */
        post: operations["post_executions_by_execution_id_recheck"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/toms/{service_id}/fills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Trades of a trading service, including outside trades
         * @description `from` and `to` are times of execution, `from` inclusive, `to` exclusive. An outside trade has `execution_id` null. A trade that the venue took back is `busted`.
         *
         *     Permission: `trading.executions.read`
         */
        get: operations["get_toms_by_service_id_fills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List settlements
         * @description `unseen=true`: only settlements with a part that was confirmed by hand, or whose deposit was taken back, and that still expects its deposit. `uncorrected=true`: only those with a fill that was busted after they were initiated and is still in their nets.
         *
         *     Permission: `settlements.read`
         */
        get: operations["get_settlements"];
        put?: never;
        /**
         * Claim unsettled fills and net them
         * @description Claims every fill in the range that is at a post-trade venue and in no settlement yet. Refused: FORMAT, RANGE (no range, or nothing in it), ABOVE_MAXIMUM.
         *
         *     Permission: `settlements.create`
         */
        post: operations["post_settlements"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One settlement
         * @description Permission: `settlements.read`
         */
        get: operations["get_settlements_by_settlement_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/available-fills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fills of a venue that the settlement has claimed or can claim
         * @description Unsettled fills in its range that no other settlement has claimed. `settlement_id` is set on those that this one has claimed. `venue_id` is required.
         *
         *     Permission: `settlements.read`
         */
        get: operations["get_settlements_by_settlement_id_available_fills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/fills/{fill_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One fill
         * @description Permission: `settlements.read`
         */
        get: operations["get_settlements_fills_by_fill_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/fills": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fills of the settlement
         * @description Permission: `settlements.read`
         */
        get: operations["get_settlements_by_settlement_id_fills"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Add or remove fills
         * @description While it is PREPARING. Refused: STATE_NOT_ALLOWED, NOT_FOUND, CONFLICT (settled, claimed by another settlement, outside the range, not claimed by this one), STALE_VERSION.
         *
         *     Permission: `settlements.create`
         */
        patch: operations["patch_settlements_by_settlement_id_fills"];
        trace?: never;
    };
    "/settlements/{settlement_id}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Parts of a settlement
         * @description Permission: `settlements.read`
         */
        get: operations["get_settlements_by_settlement_id_parts"];
        /**
         * Cover the nets by parts over treasury routes
         * @description Replaces the parts that are OPEN or FAILED. The settlement becomes READY, or PREPARING again without parts. Refused: SUM_MISMATCH, SCALE, CONFLICT (the route does not fit), STATE_NOT_ALLOWED, STALE_VERSION.
         *
         *     Permission: `settlements.create`
         */
        put: operations["put_settlements_by_settlement_id_parts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/net-again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take busted fills out of the nets of an initiated settlement
         * @description Adds a correcting line for each busted fill. Parts that have not moved are replaced by what is still owed; what was paid too much comes back by a further part. A SETTLED settlement goes on until that has moved. Refused: STATE_NOT_ALLOWED (not initiated, canceled, or no fill was busted since), STALE_VERSION.
         *
         *     Permission: `settlements.create`
         */
        post: operations["post_settlements_by_settlement_id_net_again"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel settlement
         * @description Its fills can be claimed again. Refused: STATE_NOT_ALLOWED once a part has moved or may have left.
         *
         *     Permission: `settlements.create`
         */
        post: operations["post_settlements_by_settlement_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/initiate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Initiate the parts of a settlement
         * @description An outgoing part becomes a withdrawal of origin SETTLEMENT, an incoming part expects its deposit. All or none. A FAILED part is initiated again, one with an unknown outcome is not. Refused: CONFLICT (a fill was busted since it was covered), STATE_NOT_ALLOWED, REQUIRED (no route), and as any withdrawal.
         *
         *     Permission: `settlements.initiate`
         */
        post: operations["post_settlements_by_settlement_id_initiate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/parts/{part_id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm by hand that a part has moved
         * @description Stores who confirmed it and by what evidence. Until the money itself is seen it counts as held by the venue. Refused: STATE_NOT_ALLOWED, CONFLICT (a withdrawal's outcome decides; it has arrived), ASSET_MISMATCH, ABOVE_MAXIMUM.
         *
         *     Permission: `settlements.initiate`
         */
        post: operations["post_settlements_by_settlement_id_parts_by_part_id_confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/parts/{part_id}/arrival": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link a deposit to a part that was confirmed by hand
         * @description The deposit may have any quantity: the difference stays with the venue. No further deposit is expected. Refused: STATE_NOT_ALLOWED (not an incoming part that was confirmed by hand; the deposit is not UNASSIGNED), ASSET_MISMATCH.
         *
         *     Permission: `settlements.initiate`
         */
        post: operations["post_settlements_by_settlement_id_parts_by_part_id_arrival"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settlements/{settlement_id}/parts/{part_id}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop expecting payment of a part that was confirmed by hand
         * @description Its amount stays booked with the venue: reconciliation shows a break unless the venue reports it too. Refused: STATE_NOT_ALLOWED (no deposit is expected).
         *
         *     Permission: `settlements.initiate`
         */
        post: operations["post_settlements_by_settlement_id_parts_by_part_id_drop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Overview
         * @description Per asset the holdings and their owners, what needs attention, and what has moved since `from` (within the last seven days; by default since midnight UTC). Each part needs the permission to see its records.
         *
         *     Permission: `authenticated`
         */
        get: operations["get_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find records by any of their identifiers
         * @description By id or its first eight digits, client_ref, address, transaction hash, reference (any run of its words), IBAN, a venue's id, amount, name, label or e-mail; from two characters on. Best first: ids, then whole fields, then beginnings of fields. Only kinds that the caller may see.
         *
         *     Permission: `authenticated`
         */
        get: operations["get_search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/timeline/{kind}/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The timeline of a record
         * @description What happened to it and to the records that have a part in it, oldest first, each step with its reason and its bookings: a deposit seen and final, the matching that fired and why, assignments and rectifications, the transfer by a job, the settlement. Needs the permission to see the record (else 1003). Of a customer: what was lately done with its account.
         *
         *     Permission: `authenticated`
         */
        get: operations["get_timeline_by_kind_by_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/desk/reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Venues and books as last compared
         * @description Each venue's assets: what the books say, what the venue holds, what movements in flight explain of the difference, and the rest. Compared every minute.
         *
         *     Permission: `desk.read`
         */
        get: operations["get_desk_reconciliation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/desk/reconciliation/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare venues and books now
         * @description Answers every position. A difference seen for the first time is CHECKING, and looked at again after 15 seconds before it is a break. What does not stand still now, or whose venue does not answer, keeps its last comparison (`compared_at`). `not_compared` names the open order that an asset waits for.
         *
         *     Permission: `desk.read`
         */
        post: operations["post_desk_reconciliation_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/desk/breaks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List breaks
         * @description Permission: `desk.read`
         */
        get: operations["get_desk_breaks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/desk/breaks/{break_id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a break with a note
         * @description The same difference opens no new break; another difference does. Refused: STATE_NOT_ALLOWED.
         *
         *     Permission: `breaks.close`
         */
        post: operations["post_desk_breaks_by_break_id_close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/desk/customer-wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Customers' wallets beside their books
         * @description Per customer and asset: what the customer's own wallets at venues hold, as the venues say and as it is booked, what the customer has in the books, and what explains the difference.
         *
         *     Permission: `desk.read`
         */
        get: operations["get_desk_customer_wallets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/desk/halts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List halts
         * @description Permission: `desk.read`
         */
        get: operations["get_desk_halts"];
        /**
         * Set or release a halt
         * @description Halts withdrawals or trading of the workspace, of one venue, of one asset, or of an asset at a venue. Commands are refused HALTED and withdrawals not sent yet wait; what has happened at a venue is booked all the same. Refused: STATE_NOT_ALLOWED when the halt to release is not set, UNKNOWN_ASSET.
         *
         *     Permission: `halts.write`
         */
        put: operations["put_desk_halts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/accounts/{account_id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Freeze or release a customer's account
         * @description Requests that take or block an amount of a frozen account are refused FROZEN, and withdrawals not sent yet wait; what has happened at a venue is booked all the same.
         *
         *     Permission: `halts.write`
         */
        put: operations["put_accounts_by_account_id_freeze"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/customers/{customer_id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase the personal data of a customer
         * @description Names, addresses, bank accounts, references, notes, mails and raw records go. Bookings, amounts and ids stay. A task does it within moments; it cannot be undone. What another customer has part in too stays until that one is erased. Refused: STATE_NOT_ALLOWED (not deleted), IN_USE (balances, holds, open records), RETENTION_PERIOD (the time for which it must be kept is not over). A repeat erases what has come since.
         *
         *     Permission: `customers.erase`
         */
        post: operations["post_customers_by_customer_id_erase"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/erasures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List erasures of personal data
         * @description Permission: `customers.read`
         */
        get: operations["get_erasures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events
         * @description Everything after the sequence `after` (0 when absent), each event once and in commit order: ask again after the last one you have. `newest_first` reverses the order, for people who look at it. A booking is its own event, `booking.created`. Events of records that the caller may not read are left out.
         *
         *     Permission: `events.read`
         */
        get: operations["get_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happens, live
         * @description Server-sent events: `id` is the sequence, `event` the type, `data` the event as JSON. Begins after `Last-Event-ID`, else after `after`, else with what happens from now on. Ends with the session, or when the caller loses a permission: come back with a new token and Last-Event-ID. Events of records that the caller may not read are left out.
         *
         *     Permission: `events.read`
         */
        get: operations["get_events_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/mails": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Mails to customers
         * @description Mails to the notification_recipients of customers, and whether each has been handed to the mail server. Mails about what the caller may not read are left out.
         *
         *     Permission: `customers.read`
         */
        get: operations["get_mails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/signed-heads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the signed heads
         * @description Where the chains of bookings, events and security log ended on each day, signed; the last one first. docs/operations.md, Signed heads, says how to verify them.
         *
         *     Permission: `audit.read`
         */
        get: operations["get_signed_heads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Without `state`, those that were deleted are left out.
         *
         *     Permission: `webhooks.read`
         */
        get: operations["get_webhooks"];
        /**
         * Change a webhook
         * @description The caller owns it from then on: it gets what the caller may read. What waits goes to the new address.
         *
         *     Permission: `webhooks.write`
         */
        put: operations["put_webhooks"];
        /**
         * Create a webhook
         * @description Events are posted to `url`, signed as Standard Webhooks says (docs/webhooks.md). It gets what the caller may read. 1003 without `events.read`, or for a type that the caller may not read; 3001 CONFLICT where the operator has no key file.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook
         * @description Permission: `webhooks.read`
         */
        get: operations["get_webhooks_by_webhook_id"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description What waits is not delivered. Deliveries can be read for thirty days.
         *
         *     Permission: `webhooks.write`
         */
        delete: operations["delete_webhooks_by_webhook_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The secrets of a webhook
         * @description The present one first; during a rotation the former one after it. An empty list when the webhook was deleted, or when its secret was wrapped by another key: rotate it.
         *
         *     Permission: `webhooks.write`
         */
        get: operations["get_webhooks_by_webhook_id_secrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new secret
         * @description The former one signs too for `overlap_hours` (24 when absent): deliveries carry both signatures. With 0 it ends at once. An older one ends in any case.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhooks_by_webhook_id_rotate_secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a webhook
         * @description Nothing is sent, and nothing is lost. Refused: STATE_NOT_ALLOWED.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhooks_by_webhook_id_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a webhook
         * @description What waits is tried at once, and what has happened meanwhile follows; with `skip`, neither. The caller owns it from then on. Refused: STATE_NOT_ALLOWED.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhooks_by_webhook_id_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test
         * @description Delivers an event of the type `webhook.test`, which tells of nothing. Refused: NOT_ACTIVE while the webhook is paused.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhooks_by_webhook_id_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a range of events again
         * @description By default those that have FAILED; with `ALL`, every event of its types, also when its delivery is kept no more. Each has the same `webhook-id` as the first time. The range is worked off after the answer. Refused: NOT_ACTIVE while the webhook is paused, RANGE.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhooks_by_webhook_id_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries
         * @description Kept for thirty days after their end. Deliveries of events that the caller may not read are left out.
         *
         *     Permission: `webhooks.read`
         */
        get: operations["get_webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-deliveries/{webhook_delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One delivery with its attempts
         * @description 1003 for one of an event that the caller may not read.
         *
         *     Permission: `webhooks.read`
         */
        get: operations["get_webhook_deliveries_by_webhook_delivery_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhook-deliveries/{webhook_delivery_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver one again
         * @description From the beginning, with the same `webhook-id`; one that waits is tried now. Refused: NOT_ACTIVE while the webhook is paused.
         *
         *     Permission: `webhooks.write`
         */
        post: operations["post_webhook_deliveries_by_webhook_delivery_id_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Error: {
            /** @enum {boolean} */
            success: false;
            /** @enum {integer} */
            error_code: 1001 | 1003 | 1004 | 1005 | 1006 | 2001 | 2003 | 2004 | 3001 | 3002 | 4004 | 4051 | 4091 | 4092 | 4211 | 4291;
            error_message: string;
            error_description?: string;
            error_details?: {
                path: string;
                code: string;
                message: string;
            }[];
            request_id?: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    post_auth_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "trader@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                    /** @description Of an earlier login on this device, expired or not */
                    id_token?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TokenSet */
                        data: {
                            /** @description Identifies the login */
                            id_token: string;
                            /** @description Authorizes calls for one hour */
                            access_token: string;
                            /** @description Obtains access tokens for 30 days */
                            refresh_token: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "access_token": "eyJhbGciOiJFZERTQSJ9…",
                 *       "refresh_token": "kSx3v9…"
                 *     }
                 */
                "application/json": {
                    /** @description The access token used before, expired or not */
                    access_token: string;
                    /** @description From login */
                    refresh_token: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** RefreshedTokens */
                        data: {
                            /** @description Identifies the login */
                            id_token: string;
                            /** @description Authorizes calls for one hour */
                            access_token: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "trader@example.com",
                 *       "old_password": "the first password",
                 *       "new_password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    email?: string;
                    old_password: string;
                    new_password: string;
                    /** @description Of an earlier login on this device, expired or not */
                    id_token?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** User */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Unique over all workspaces; kept in lower case */
                            email: string;
                            name: string | null;
                            roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DISABLED";
                            /** @description Login answers 1004 until the password is changed */
                            must_change_password: boolean;
                            /** @description Unix milliseconds, UTC */
                            last_login_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_auth_me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Caller */
                        data: {
                            user: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @description Unique over all workspaces; kept in lower case */
                                email: string;
                                name: string | null;
                                roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                                /** @enum {string} */
                                state: "ACTIVE" | "DISABLED";
                                /** @description Login answers 1004 until the password is changed */
                                must_change_password: boolean;
                                /** @description Unix milliseconds, UTC */
                                last_login_at: number | null;
                            } | null;
                            api_key: {
                                id: string;
                                label: string;
                                /**
                                 * ApiKeyLimits
                                 * @description What it may move; docs/domain.md says what counts
                                 */
                                limits: {
                                    assets: {
                                        asset: string;
                                        /** @description At most this in one transaction; without it no limit */
                                        per_transaction: string | null;
                                        /** @description At most this on one day (UTC); without it no limit */
                                        per_day: string | null;
                                    }[] | null;
                                    routes: string[] | null;
                                };
                                /** @description From then on it is refused; Unix milliseconds, UTC */
                                expires_at: number;
                            } | null;
                            workspace: {
                                id: string;
                                name: string;
                            };
                            /** @description In alphabetical order */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_console_login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "trader@example.com",
                 *       "password": "correct horse battery staple"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                    /** @description Of an earlier login on this device, expired or not */
                    id_token?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ConsoleTokens */
                        data: {
                            /** @description Identifies the login */
                            id_token: string;
                            /** @description Authorizes calls for one hour */
                            access_token: string;
                            email: string;
                            session_id: string;
                            /** @description After so long without use the session ends */
                            idle_ms: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_console_refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description The one used before, expired or not */
                    access_token?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ConsoleTokens */
                        data: {
                            /** @description Identifies the login */
                            id_token: string;
                            /** @description Authorizes calls for one hour */
                            access_token: string;
                            email: string;
                            session_id: string;
                            /** @description After so long without use the session ends */
                            idle_ms: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_auth_sessions: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            /**
                             * @description CONSOLE: its refresh token is in a cookie of the browser
                             * @enum {string}
                             */
                            kind: "PROGRAM" | "CONSOLE";
                            /** @description Unix milliseconds, UTC */
                            created_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number;
                            /** @description At the latest; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description The network address it was begun from */
                            address: string | null;
                            /** @description What the program called itself */
                            agent: string | null;
                            /** @description The one that asks */
                            is_current: boolean;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_auth_sessions_by_session_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** EndedSession */
                        data: {
                            /** @description The session */
                            id: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** EndedSession */
                        data: {
                            /** @description The session */
                            id: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_users: {
        parameters: {
            query?: {
                email?: string;
                /** @description comma list of ACTIVE, DISABLED */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Unique over all workspaces; kept in lower case */
                            email: string;
                            name: string | null;
                            roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DISABLED";
                            /** @description Login answers 1004 until the password is changed */
                            must_change_password: boolean;
                            /** @description Unix milliseconds, UTC */
                            last_login_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_users: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000007",
                 *       "email": "trader@example.com",
                 *       "roles": [
                 *         "TRADER",
                 *         "READER"
                 *       ],
                 *       "state": "ACTIVE",
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    id: string;
                    /** @description Unique over all workspaces; kept in lower case */
                    email: string;
                    name?: string;
                    roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                    /** @enum {string} */
                    state: "ACTIVE" | "DISABLED";
                    must_change_password?: boolean;
                    password?: string;
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** User */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Unique over all workspaces; kept in lower case */
                            email: string;
                            name: string | null;
                            roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DISABLED";
                            /** @description Login answers 1004 until the password is changed */
                            must_change_password: boolean;
                            /** @description Unix milliseconds, UTC */
                            last_login_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_users: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "trader@example.com",
                 *       "name": "Tara Trader",
                 *       "roles": [
                 *         "TRADER"
                 *       ],
                 *       "password": "the first password"
                 *     }
                 */
                "application/json": {
                    /** @description Unique over all workspaces; kept in lower case */
                    email: string;
                    name?: string;
                    roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                    password: string;
                    /** @description Default true: the user must change this password at the first login */
                    must_change_password?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** User */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Unique over all workspaces; kept in lower case */
                            email: string;
                            name: string | null;
                            roles: ("READER" | "TRADER" | "TREASURER" | "ACCOUNTANT" | "COMPLIANCE" | "AUDITOR" | "ADMIN")[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DISABLED";
                            /** @description Login answers 1004 until the password is changed */
                            must_change_password: boolean;
                            /** @description Unix milliseconds, UTC */
                            last_login_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_auth_api_keys: {
        parameters: {
            query?: {
                label?: string;
                /** @description comma list of ACTIVE, REVOKED */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            state: "ACTIVE" | "REVOKED";
                            /** @description What the program may do */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                            /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                            networks: string[];
                            /**
                             * ApiKeyLimits
                             * @description What it may move; docs/domain.md says what counts
                             */
                            limits: {
                                assets: {
                                    asset: string;
                                    /** @description At most this in one transaction; without it no limit */
                                    per_transaction: string | null;
                                    /** @description At most this on one day (UTC); without it no limit */
                                    per_day: string | null;
                                }[] | null;
                                routes: string[] | null;
                            };
                            /** @description From then on it is refused; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number | null;
                            /** @description Those that are accepted; oldest first */
                            secrets: {
                                id: string;
                                /** @description The last characters of the secret */
                                hint: string;
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Null: with the key */
                                expires_at: number | null;
                                /** @description About; Unix milliseconds, UTC */
                                last_used_at: number | null;
                                /** @description The network address it was last used from */
                                last_used_address: string | null;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_api_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Payout program",
                 *       "permissions": [
                 *         "treasury.routes.read",
                 *         "treasury.withdrawals.read",
                 *         "treasury.withdrawals.create"
                 *       ],
                 *       "networks": [
                 *         "203.0.113.0/24"
                 *       ],
                 *       "limits": {
                 *         "assets": [
                 *           {
                 *             "asset": "EUR",
                 *             "per_transaction": "10000",
                 *             "per_day": "50000"
                 *           }
                 *         ],
                 *         "routes": [
                 *           "01a1fc75-ea2a-7589-aa8f-000000000011"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": {
                    label: string;
                    /** @description What the program may do */
                    permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                    /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                    networks?: string[];
                    /** NewApiKeyLimits */
                    limits?: {
                        /** @description It moves no other assets, and of these no more; without it any */
                        assets?: {
                            asset: string;
                            /** @description At most this in one transaction; without it no limit */
                            per_transaction?: string;
                            /** @description At most this on one day (UTC); without it no limit */
                            per_day?: string;
                        }[];
                        /** @description The treasury and price-stream routes that it may use; without it any */
                        routes?: string[];
                    };
                    /** @description In a year when absent, at most in five; Unix milliseconds, UTC */
                    expires_at?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ApiKeyWithSecret */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            state: "ACTIVE" | "REVOKED";
                            /** @description What the program may do */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                            /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                            networks: string[];
                            /**
                             * ApiKeyLimits
                             * @description What it may move; docs/domain.md says what counts
                             */
                            limits: {
                                assets: {
                                    asset: string;
                                    /** @description At most this in one transaction; without it no limit */
                                    per_transaction: string | null;
                                    /** @description At most this on one day (UTC); without it no limit */
                                    per_day: string | null;
                                }[] | null;
                                routes: string[] | null;
                            };
                            /** @description From then on it is refused; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number | null;
                            /** @description Those that are accepted; oldest first */
                            secrets: {
                                id: string;
                                /** @description The last characters of the secret */
                                hint: string;
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Null: with the key */
                                expires_at: number | null;
                                /** @description About; Unix milliseconds, UTC */
                                last_used_at: number | null;
                                /** @description The network address it was last used from */
                                last_used_address: string | null;
                            }[];
                            /** @description Shown this once. Null in the answer to a repeat under the same Idempotency-Key: rotate the key when the first answer is lost */
                            secret: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_auth_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            name: string;
                            meaning: string;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_auth_api_keys_by_api_key_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ApiKey */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            state: "ACTIVE" | "REVOKED";
                            /** @description What the program may do */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                            /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                            networks: string[];
                            /**
                             * ApiKeyLimits
                             * @description What it may move; docs/domain.md says what counts
                             */
                            limits: {
                                assets: {
                                    asset: string;
                                    /** @description At most this in one transaction; without it no limit */
                                    per_transaction: string | null;
                                    /** @description At most this on one day (UTC); without it no limit */
                                    per_day: string | null;
                                }[] | null;
                                routes: string[] | null;
                            };
                            /** @description From then on it is refused; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number | null;
                            /** @description Those that are accepted; oldest first */
                            secrets: {
                                id: string;
                                /** @description The last characters of the secret */
                                hint: string;
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Null: with the key */
                                expires_at: number | null;
                                /** @description About; Unix milliseconds, UTC */
                                last_used_at: number | null;
                                /** @description The network address it was last used from */
                                last_used_address: string | null;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_auth_api_keys_by_api_key_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Payout program",
                 *       "permissions": [
                 *         "treasury.routes.read",
                 *         "treasury.withdrawals.read",
                 *         "treasury.withdrawals.create"
                 *       ],
                 *       "networks": [
                 *         "203.0.113.0/24"
                 *       ],
                 *       "limits": {
                 *         "assets": [
                 *           {
                 *             "asset": "EUR",
                 *             "per_transaction": "10000",
                 *             "per_day": "50000"
                 *           }
                 *         ],
                 *         "routes": [
                 *           "01a1fc75-ea2a-7589-aa8f-000000000011"
                 *         ]
                 *       },
                 *       "expires_at": 1800000000000,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    label: string;
                    /** @description What the program may do */
                    permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                    /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                    networks?: string[];
                    /** NewApiKeyLimits */
                    limits?: {
                        /** @description It moves no other assets, and of these no more; without it any */
                        assets?: {
                            asset: string;
                            /** @description At most this in one transaction; without it no limit */
                            per_transaction?: string;
                            /** @description At most this on one day (UTC); without it no limit */
                            per_day?: string;
                        }[];
                        /** @description The treasury and price-stream routes that it may use; without it any */
                        routes?: string[];
                    };
                    /** @description Unix milliseconds, UTC */
                    expires_at: number;
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ApiKey */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            state: "ACTIVE" | "REVOKED";
                            /** @description What the program may do */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                            /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                            networks: string[];
                            /**
                             * ApiKeyLimits
                             * @description What it may move; docs/domain.md says what counts
                             */
                            limits: {
                                assets: {
                                    asset: string;
                                    /** @description At most this in one transaction; without it no limit */
                                    per_transaction: string | null;
                                    /** @description At most this on one day (UTC); without it no limit */
                                    per_day: string | null;
                                }[] | null;
                                routes: string[] | null;
                            };
                            /** @description From then on it is refused; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number | null;
                            /** @description Those that are accepted; oldest first */
                            secrets: {
                                id: string;
                                /** @description The last characters of the secret */
                                hint: string;
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Null: with the key */
                                expires_at: number | null;
                                /** @description About; Unix milliseconds, UTC */
                                last_used_at: number | null;
                                /** @description The network address it was last used from */
                                last_used_address: string | null;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_auth_api_keys_by_api_key_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ApiKey */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            state: "ACTIVE" | "REVOKED";
                            /** @description What the program may do */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                            /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                            networks: string[];
                            /**
                             * ApiKeyLimits
                             * @description What it may move; docs/domain.md says what counts
                             */
                            limits: {
                                assets: {
                                    asset: string;
                                    /** @description At most this in one transaction; without it no limit */
                                    per_transaction: string | null;
                                    /** @description At most this on one day (UTC); without it no limit */
                                    per_day: string | null;
                                }[] | null;
                                routes: string[] | null;
                            };
                            /** @description From then on it is refused; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number | null;
                            /** @description Those that are accepted; oldest first */
                            secrets: {
                                id: string;
                                /** @description The last characters of the secret */
                                hint: string;
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Null: with the key */
                                expires_at: number | null;
                                /** @description About; Unix milliseconds, UTC */
                                last_used_at: number | null;
                                /** @description The network address it was last used from */
                                last_used_address: string | null;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_auth_api_keys_by_api_key_id_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                api_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": {
                    /** @description How long the secret of before is still accepted: 24 when absent; 0 ends it at once */
                    overlap_hours?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ApiKeyWithSecret */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            state: "ACTIVE" | "REVOKED";
                            /** @description What the program may do */
                            permissions: ("accounts.read" | "accounts.write" | "bookings.read" | "bookings.create" | "book-transfers.create" | "customers.read" | "customers.write" | "customers.erase" | "matchings.read" | "matchings.write" | "venues.read" | "treasury.wallets.read" | "treasury.wallets.write" | "treasury.routes.read" | "treasury.routes.write" | "treasury.routes.allow" | "treasury.deposits.read" | "treasury.deposits.return" | "treasury.withdrawals.read" | "treasury.withdrawals.create" | "treasury.withdrawals.cancel" | "treasury.withdrawals.resolve" | "treasury.withdrawals.third_party" | "treasury.set-aside.decide" | "treasury.jobs.read" | "treasury.jobs.write" | "settlements.read" | "settlements.create" | "settlements.initiate" | "assignments.read" | "assignments.create" | "assignments.decide" | "rectifications.read" | "rectifications.create" | "trading.routes.read" | "trading.quotes.read" | "trading.quotes.create" | "trading.executions.read" | "trading.executions.create" | "trading.executions.resolve" | "market-data.read" | "events.read" | "desk.read" | "breaks.close" | "halts.write" | "webhooks.read" | "webhooks.write" | "users.write" | "api-keys.write" | "audit.read")[];
                            /** @description Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from everywhere */
                            networks: string[];
                            /**
                             * ApiKeyLimits
                             * @description What it may move; docs/domain.md says what counts
                             */
                            limits: {
                                assets: {
                                    asset: string;
                                    /** @description At most this in one transaction; without it no limit */
                                    per_transaction: string | null;
                                    /** @description At most this on one day (UTC); without it no limit */
                                    per_day: string | null;
                                }[] | null;
                                routes: string[] | null;
                            };
                            /** @description From then on it is refused; Unix milliseconds, UTC */
                            expires_at: number;
                            /** @description About; Unix milliseconds, UTC */
                            last_used_at: number | null;
                            /** @description Those that are accepted; oldest first */
                            secrets: {
                                id: string;
                                /** @description The last characters of the secret */
                                hint: string;
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Null: with the key */
                                expires_at: number | null;
                                /** @description About; Unix milliseconds, UTC */
                                last_used_at: number | null;
                                /** @description The network address it was last used from */
                                last_used_address: string | null;
                            }[];
                            /** @description Shown this once. Null in the answer to a repeat under the same Idempotency-Key: rotate the key when the first answer is lost */
                            secret: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_security_log: {
        parameters: {
            query?: {
                /** @description comma list of SIGNED_IN, SIGN_IN_FAILED, SESSION_ENDED, REFRESH_REFUSED, TOKEN_REFUSED, PERMISSION_DENIED, USER_CREATED, USER_CHANGED, ROLES_CHANGED, PASSWORD_CHANGED, API_KEY_CREATED, API_KEY_CHANGED, API_KEY_ROTATED, API_KEY_REVOKED, SETTINGS_CHANGED, CONFIGURATION_APPLIED, SIGNING_KEY_ROTATED, WRAPPING_KEY_REPLACED, HEAD_KEY_REPLACED, WEBHOOK_CHANGED */
                kind?: string;
                user_id?: string;
                email?: string;
                actor?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                occurred_at_from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                occurred_at_to?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @enum {string} */
                            kind: "SIGNED_IN" | "SIGN_IN_FAILED" | "SESSION_ENDED" | "REFRESH_REFUSED" | "TOKEN_REFUSED" | "PERMISSION_DENIED" | "USER_CREATED" | "USER_CHANGED" | "ROLES_CHANGED" | "PASSWORD_CHANGED" | "API_KEY_CREATED" | "API_KEY_CHANGED" | "API_KEY_ROTATED" | "API_KEY_REVOKED" | "SETTINGS_CHANGED" | "CONFIGURATION_APPLIED" | "SIGNING_KEY_ROTATED" | "WRAPPING_KEY_REPLACED" | "HEAD_KEY_REPLACED" | "WEBHOOK_CHANGED";
                            /** @description The first time; Unix milliseconds, UTC */
                            occurred_at: number;
                            /** @description Whose account it is about: of a user or an API key */
                            user_id: string | null;
                            /** @description Of the user; where the user changed, as it was then */
                            email: string | null;
                            /** @description Who did it: a user, an API key, or a part of the service */
                            actor: string | null;
                            session_id: string | null;
                            /** @description The network address it came from */
                            address: string | null;
                            /** @description What the program called itself */
                            agent: string | null;
                            /** @description How often, within about a minute */
                            count: number;
                            /** @description The reason, what was asked for, or what was changed: by kind */
                            details: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_accounts: {
        parameters: {
            query?: {
                /** @description comma list of CUSTOMER, VENUE, TRADING, HOUSE, SUSPENSE, TRANSIT, MARGIN, RISK, FEE, ROUNDING, INCOME, EXPENSE */
                type?: string;
                venue_id?: string;
                frozen?: "true" | "false";
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "CUSTOMER" | "VENUE" | "TRADING" | "HOUSE" | "SUSPENSE" | "TRANSIT" | "MARGIN" | "RISK" | "FEE" | "ROUNDING" | "INCOME" | "EXPENSE";
                            label: string;
                            customer_id: string | null;
                            venue_id: string | null;
                            foreign_id: string | null;
                            /** @description A person opened it, for money of the house */
                            named: boolean;
                            /** @description Requests cannot take or block anything on it; what happens at a venue is still booked */
                            frozen: boolean;
                            frozen_reason: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_accounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "INCOME",
                 *       "label": "Interest"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "INCOME" | "EXPENSE" | "HOUSE";
                    label: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Account */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "CUSTOMER" | "VENUE" | "TRADING" | "HOUSE" | "SUSPENSE" | "TRANSIT" | "MARGIN" | "RISK" | "FEE" | "ROUNDING" | "INCOME" | "EXPENSE";
                            label: string;
                            customer_id: string | null;
                            venue_id: string | null;
                            foreign_id: string | null;
                            /** @description A person opened it, for money of the house */
                            named: boolean;
                            /** @description Requests cannot take or block anything on it; what happens at a venue is still booked */
                            frozen: boolean;
                            frozen_reason: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_accounts_by_account_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Account */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "CUSTOMER" | "VENUE" | "TRADING" | "HOUSE" | "SUSPENSE" | "TRANSIT" | "MARGIN" | "RISK" | "FEE" | "ROUNDING" | "INCOME" | "EXPENSE";
                            label: string;
                            customer_id: string | null;
                            venue_id: string | null;
                            foreign_id: string | null;
                            /** @description A person opened it, for money of the house */
                            named: boolean;
                            /** @description Requests cannot take or block anything on it; what happens at a venue is still booked */
                            frozen: boolean;
                            frozen_reason: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_accounts_by_account_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Interest income"
                 *     }
                 */
                "application/json": {
                    label: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Account */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "CUSTOMER" | "VENUE" | "TRADING" | "HOUSE" | "SUSPENSE" | "TRANSIT" | "MARGIN" | "RISK" | "FEE" | "ROUNDING" | "INCOME" | "EXPENSE";
                            label: string;
                            customer_id: string | null;
                            venue_id: string | null;
                            foreign_id: string | null;
                            /** @description A person opened it, for money of the house */
                            named: boolean;
                            /** @description Requests cannot take or block anything on it; what happens at a venue is still booked */
                            frozen: boolean;
                            frozen_reason: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_bookings_accounts_by_account_id_balance: {
        parameters: {
            query?: {
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                at?: string;
            };
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** AccountBalance */
                        data: {
                            [key: string]: {
                                /** @description What can be withdrawn now: what can be traded less what was bought and is not settled; null of the past */
                                withdrawing: string | null;
                                /** @description What can be traded now: total less all holds; null of the past */
                                trading: string | null;
                                /** @description What is booked */
                                total: string;
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_bookings_accounts_by_account_id_statement: {
        parameters: {
            query?: {
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                to?: string;
                /** @description comma list of assets */
                assets?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @enum {string} */
                            line: "OPENING" | "BOOKING" | "CLOSING";
                            asset: string;
                            /** @description Of OPENING and CLOSING: the edge of the period */
                            booked_at: number;
                            /** @description Unix milliseconds, UTC */
                            value_date: number | null;
                            sequence: number | null;
                            booking_id: string | null;
                            /** @enum {string|null} */
                            type: "OPENING" | "DEPOSIT" | "DEPOSIT_ASSIGNMENT" | "WITHDRAWAL" | "WITHDRAWAL_ASSIGNMENT" | "WITHDRAWAL_FEE" | "TRANSFER" | "TRANSFER_FEE" | "BOOK_TRANSFER" | "EXECUTION" | "TRADING_FEE" | "SETTLEMENT" | "RECTIFICATION" | "REVERSAL" | "ROUNDING" | "MANUAL" | null;
                            debit: string | null;
                            credit: string | null;
                            /** @description After this line, in the account's normal sign */
                            balance: string;
                            reference_type: string | null;
                            reference_id: string | null;
                            description: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_bookings_trial_balance: {
        parameters: {
            query?: {
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TrialBalance */
                        data: {
                            /** @description What was booked before it */
                            at: number;
                            assets: {
                                asset: string;
                                /** @description Sum of the column; equal to credit */
                                debit: string;
                                /** @description Sum of the column; equal to debit */
                                credit: string;
                                /** @description One for each type of account that holds or owes something */
                                lines: {
                                    /** @enum {string} */
                                    type: "CUSTOMER" | "VENUE" | "TRADING" | "HOUSE" | "SUSPENSE" | "TRANSIT" | "MARGIN" | "RISK" | "FEE" | "ROUNDING" | "INCOME" | "EXPENSE";
                                    debit: string;
                                    credit: string;
                                }[];
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_bookings: {
        parameters: {
            query?: {
                /** @description 0 to 9007199254740991 */
                sequence_from?: string;
                /** @description 0 to 9007199254740991 */
                sequence_to?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                to?: string;
                /** @description comma list of OPENING, DEPOSIT, DEPOSIT_ASSIGNMENT, WITHDRAWAL, WITHDRAWAL_ASSIGNMENT, WITHDRAWAL_FEE, TRANSFER, TRANSFER_FEE, BOOK_TRANSFER, EXECUTION, TRADING_FEE, SETTLEMENT, RECTIFICATION, REVERSAL, ROUNDING, MANUAL */
                type?: string;
                account_id?: string;
                reference_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Gapless and in commit order within the workspace */
                            sequence: number;
                            /** @enum {string} */
                            type: "OPENING" | "DEPOSIT" | "DEPOSIT_ASSIGNMENT" | "WITHDRAWAL" | "WITHDRAWAL_ASSIGNMENT" | "WITHDRAWAL_FEE" | "TRANSFER" | "TRANSFER_FEE" | "BOOK_TRANSFER" | "EXECUTION" | "TRADING_FEE" | "SETTLEMENT" | "RECTIFICATION" | "REVERSAL" | "ROUNDING" | "MANUAL";
                            /** @description Unix milliseconds, UTC */
                            value_date: number;
                            asset: string;
                            legs: {
                                account_id: string;
                                account_label: string;
                                /** @enum {string} */
                                type: "DEBIT" | "CREDIT";
                                quantity: string;
                                /** @description The account's balance in this asset after the booking, in its normal sign */
                                balance_after: string;
                            }[];
                            reference_type: string | null;
                            reference_id: string | null;
                            description: string | null;
                            reverses_id: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_bookings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "asset": "EUR",
                 *       "legs": [
                 *         {
                 *           "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *           "type": "DEBIT",
                 *           "quantity": "12.50"
                 *         },
                 *         {
                 *           "account_id": "01a1fc75-ea2a-7589-aa8f-000000000019",
                 *           "type": "CREDIT",
                 *           "quantity": "12.50"
                 *         }
                 *       ],
                 *       "description": "Fee taken back"
                 *     }
                 */
                "application/json": {
                    asset: string;
                    legs: {
                        account_id: string;
                        account_label?: string;
                        /** @enum {string} */
                        type: "DEBIT" | "CREDIT";
                        quantity: string;
                    }[];
                    /** @description ISO 8601 or an integer read by its size; now when absent */
                    value_date?: number | string;
                    description?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Booking */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Gapless and in commit order within the workspace */
                            sequence: number;
                            /** @enum {string} */
                            type: "OPENING" | "DEPOSIT" | "DEPOSIT_ASSIGNMENT" | "WITHDRAWAL" | "WITHDRAWAL_ASSIGNMENT" | "WITHDRAWAL_FEE" | "TRANSFER" | "TRANSFER_FEE" | "BOOK_TRANSFER" | "EXECUTION" | "TRADING_FEE" | "SETTLEMENT" | "RECTIFICATION" | "REVERSAL" | "ROUNDING" | "MANUAL";
                            /** @description Unix milliseconds, UTC */
                            value_date: number;
                            asset: string;
                            legs: {
                                account_id: string;
                                account_label: string;
                                /** @enum {string} */
                                type: "DEBIT" | "CREDIT";
                                quantity: string;
                                /** @description The account's balance in this asset after the booking, in its normal sign */
                                balance_after: string;
                            }[];
                            reference_type: string | null;
                            reference_id: string | null;
                            description: string | null;
                            reverses_id: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_bookings_by_booking_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                booking_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Booking */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description Gapless and in commit order within the workspace */
                            sequence: number;
                            /** @enum {string} */
                            type: "OPENING" | "DEPOSIT" | "DEPOSIT_ASSIGNMENT" | "WITHDRAWAL" | "WITHDRAWAL_ASSIGNMENT" | "WITHDRAWAL_FEE" | "TRANSFER" | "TRANSFER_FEE" | "BOOK_TRANSFER" | "EXECUTION" | "TRADING_FEE" | "SETTLEMENT" | "RECTIFICATION" | "REVERSAL" | "ROUNDING" | "MANUAL";
                            /** @description Unix milliseconds, UTC */
                            value_date: number;
                            asset: string;
                            legs: {
                                account_id: string;
                                account_label: string;
                                /** @enum {string} */
                                type: "DEBIT" | "CREDIT";
                                quantity: string;
                                /** @description The account's balance in this asset after the booking, in its normal sign */
                                balance_after: string;
                            }[];
                            reference_type: string | null;
                            reference_id: string | null;
                            description: string | null;
                            reverses_id: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_customers: {
        parameters: {
            query?: {
                /** @description comma list of ACTIVE, DELETED */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "RETAIL" | "INSTITUTION" | "JOINT";
                            /** @description Display label */
                            label: string;
                            /** @description Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, … */
                            margin: string;
                            /** @enum {string} */
                            booking_schema: "ADVANCED" | "SIMPLE";
                            /** @description Suspends the balance check */
                            ignore_balance_check: boolean;
                            /** @description No margin is charged */
                            ignore_margin: boolean;
                            first_name: string | null;
                            last_name: string | null;
                            company_name: string | null;
                            joint_name: string | null;
                            foreign_id: string | null;
                            investment_entity_ids: string[];
                            /** @description E-mail addresses used for event notifications */
                            notification_recipients: string[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                            /** @description The customer's account, created with the customer */
                            account_id: string;
                            /** @description When it was last begun to erase the personal data; null: never */
                            erased_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_customers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000002",
                 *       "type": "RETAIL",
                 *       "label": "Jonas Keller",
                 *       "first_name": "Jonas",
                 *       "last_name": "Keller",
                 *       "margin": "PREMIUM",
                 *       "booking_schema": "SIMPLE",
                 *       "ignore_balance_check": false,
                 *       "ignore_margin": false,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    id: string;
                    /** @enum {string} */
                    type: "RETAIL" | "INSTITUTION" | "JOINT";
                    /** @description Display label */
                    label: string;
                    /** @description Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, … */
                    margin: string;
                    /** @enum {string} */
                    booking_schema: "ADVANCED" | "SIMPLE";
                    /** @description Suspends the balance check */
                    ignore_balance_check: boolean;
                    /** @description No margin is charged */
                    ignore_margin: boolean;
                    /** @description Required if type is RETAIL */
                    first_name?: string;
                    /** @description Required if type is RETAIL */
                    last_name?: string;
                    /** @description Required if type is INSTITUTION */
                    company_name?: string;
                    /** @description Required if type is JOINT */
                    joint_name?: string;
                    /** @description Id in a foreign system, unique within the workspace */
                    foreign_id?: string;
                    investment_entity_ids?: string[];
                    /** @description E-mail addresses used for event notifications */
                    notification_recipients?: string[];
                    /** @description When given, the change is refused unless this is still the current version */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Customer */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "RETAIL" | "INSTITUTION" | "JOINT";
                            /** @description Display label */
                            label: string;
                            /** @description Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, … */
                            margin: string;
                            /** @enum {string} */
                            booking_schema: "ADVANCED" | "SIMPLE";
                            /** @description Suspends the balance check */
                            ignore_balance_check: boolean;
                            /** @description No margin is charged */
                            ignore_margin: boolean;
                            first_name: string | null;
                            last_name: string | null;
                            company_name: string | null;
                            joint_name: string | null;
                            foreign_id: string | null;
                            investment_entity_ids: string[];
                            /** @description E-mail addresses used for event notifications */
                            notification_recipients: string[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                            /** @description The customer's account, created with the customer */
                            account_id: string;
                            /** @description When it was last begun to erase the personal data; null: never */
                            erased_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_customers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "RETAIL",
                 *       "label": "Jonas Keller",
                 *       "first_name": "Jonas",
                 *       "last_name": "Keller",
                 *       "margin": "DEFAULT",
                 *       "booking_schema": "SIMPLE",
                 *       "ignore_balance_check": false,
                 *       "ignore_margin": false
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    type: "RETAIL" | "INSTITUTION" | "JOINT";
                    /** @description Display label */
                    label: string;
                    /** @description Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, … */
                    margin: string;
                    /** @enum {string} */
                    booking_schema: "ADVANCED" | "SIMPLE";
                    /** @description Suspends the balance check */
                    ignore_balance_check: boolean;
                    /** @description No margin is charged */
                    ignore_margin: boolean;
                    /** @description Required if type is RETAIL */
                    first_name?: string;
                    /** @description Required if type is RETAIL */
                    last_name?: string;
                    /** @description Required if type is INSTITUTION */
                    company_name?: string;
                    /** @description Required if type is JOINT */
                    joint_name?: string;
                    /** @description Id in a foreign system, unique within the workspace */
                    foreign_id?: string;
                    investment_entity_ids?: string[];
                    /** @description E-mail addresses used for event notifications */
                    notification_recipients?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Customer */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "RETAIL" | "INSTITUTION" | "JOINT";
                            /** @description Display label */
                            label: string;
                            /** @description Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, … */
                            margin: string;
                            /** @enum {string} */
                            booking_schema: "ADVANCED" | "SIMPLE";
                            /** @description Suspends the balance check */
                            ignore_balance_check: boolean;
                            /** @description No margin is charged */
                            ignore_margin: boolean;
                            first_name: string | null;
                            last_name: string | null;
                            company_name: string | null;
                            joint_name: string | null;
                            foreign_id: string | null;
                            investment_entity_ids: string[];
                            /** @description E-mail addresses used for event notifications */
                            notification_recipients: string[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                            /** @description The customer's account, created with the customer */
                            account_id: string;
                            /** @description When it was last begun to erase the personal data; null: never */
                            erased_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_customers_by_customer_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Customer */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "RETAIL" | "INSTITUTION" | "JOINT";
                            /** @description Display label */
                            label: string;
                            /** @description Markup category, one of those in the workspace settings: DEFAULT, PREMIUM, … */
                            margin: string;
                            /** @enum {string} */
                            booking_schema: "ADVANCED" | "SIMPLE";
                            /** @description Suspends the balance check */
                            ignore_balance_check: boolean;
                            /** @description No margin is charged */
                            ignore_margin: boolean;
                            first_name: string | null;
                            last_name: string | null;
                            company_name: string | null;
                            joint_name: string | null;
                            foreign_id: string | null;
                            investment_entity_ids: string[];
                            /** @description E-mail addresses used for event notifications */
                            notification_recipients: string[];
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                            /** @description The customer's account, created with the customer */
                            account_id: string;
                            /** @description When it was last begun to erase the personal data; null: never */
                            erased_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_customers_by_customer_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** DeletedCustomer */
                        data: {
                            id: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_book_transfers: {
        parameters: {
            query?: {
                /** @description comma list of PENDING, DONE, CANCELED */
                state?: string;
                account_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "DONE" | "CANCELED";
                            from_account_id: string;
                            from_customer_id: string;
                            to_account_id: string;
                            to_customer_id: string;
                            asset: string;
                            quantity: string;
                            /** @description Why; both customers read it */
                            reason: string;
                            /** @description Why it is not booked yet */
                            waits_for: string | null;
                            canceled_reason: string | null;
                            /** @description When it was booked or canceled */
                            completed_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_book_transfers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_account_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *       "to_account_id": "01a1fc75-ea2a-7589-aa8f-000000000002",
                 *       "asset": "EUR",
                 *       "quantity": "250",
                 *       "reason": "Gift"
                 *     }
                 */
                "application/json": {
                    /** @description The account of the customer who gives */
                    from_account_id: string;
                    /** @description The account of the customer who gets */
                    to_account_id: string;
                    asset: string;
                    quantity: string;
                    /** @description Why; both customers read it */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** BookTransfer */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "DONE" | "CANCELED";
                            from_account_id: string;
                            from_customer_id: string;
                            to_account_id: string;
                            to_customer_id: string;
                            asset: string;
                            quantity: string;
                            /** @description Why; both customers read it */
                            reason: string;
                            /** @description Why it is not booked yet */
                            waits_for: string | null;
                            canceled_reason: string | null;
                            /** @description When it was booked or canceled */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_book_transfers_by_book_transfer_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                book_transfer_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** BookTransfer */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "DONE" | "CANCELED";
                            from_account_id: string;
                            from_customer_id: string;
                            to_account_id: string;
                            to_customer_id: string;
                            asset: string;
                            quantity: string;
                            /** @description Why; both customers read it */
                            reason: string;
                            /** @description Why it is not booked yet */
                            waits_for: string | null;
                            canceled_reason: string | null;
                            /** @description When it was booked or canceled */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_book_transfers_by_book_transfer_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                book_transfer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The customer changed their mind"
                 *     }
                 */
                "application/json": {
                    /** @description Why */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** BookTransfer */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "DONE" | "CANCELED";
                            from_account_id: string;
                            from_customer_id: string;
                            to_account_id: string;
                            to_customer_id: string;
                            asset: string;
                            quantity: string;
                            /** @description Why; both customers read it */
                            reason: string;
                            /** @description Why it is not booked yet */
                            waits_for: string | null;
                            canceled_reason: string | null;
                            /** @description When it was booked or canceled */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_venues: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @enum {string} */
                            kind: "EXCHANGE" | "CUSTODY_VAULT" | "MANAGED_WALLET" | "BANK";
                            /** @enum {string} */
                            settlement: "PREFUNDED" | "POST_TRADE";
                            /** @enum {string} */
                            state: "CONNECTING" | "CONNECTED" | "UNREACHABLE" | "DISABLED";
                            services: {
                                id: string;
                                /** @enum {string} */
                                type: "TOMS" | "WOMS" | "PRICE_STREAM";
                                /** @enum {string} */
                                state: "RUNNING" | "DEGRADED" | "STOPPED";
                            }[];
                            capabilities: ("balances" | "protocols" | "transfers" | "allowlist" | "wallets" | "trading" | "prices")[];
                            /** @description What the configuration needs of the venue and the venue cannot serve */
                            unserved: {
                                asset: string;
                                /** @description null: any protocol, or its markets */
                                protocol: string | null;
                                /** @description Why the venue cannot serve it */
                                reason: string;
                            }[];
                            /** @description Why it does not answer or cannot be connected; null while it answers */
                            fault: string | null;
                            /** @description Unix milliseconds, UTC */
                            fault_since: number | null;
                            /** @description When its opening balance was booked */
                            connected_at: number | null;
                            /** @description When it last answered */
                            last_seen_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_venues_by_venue_id_balances: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                venue_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** VenueBalances */
                        data: {
                            venue_id: string;
                            /** @description When the venue reported it; null when it never did */
                            timestamp: number | null;
                            /** @description The venue did not answer now: this is its last snapshot */
                            stale: boolean;
                            balances: {
                                [key: string]: {
                                    /** @description null: the venue does not report it */
                                    free: string | null;
                                    /** @description null: the venue does not report it */
                                    used: string | null;
                                    /** @description null: the venue does not report it */
                                    total: string | null;
                                    protocol: string | null;
                                };
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_venues_by_venue_id_protocols: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                venue_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            asset: string;
                            protocols: {
                                protocol: string;
                                /** @description The venue's own term */
                                native: string;
                                decimals: number;
                                tag_required: boolean;
                                min_withdrawal: string | null;
                                max_withdrawal: string | null;
                                deposit: boolean;
                                withdraw: boolean;
                            }[];
                            /** @description What it should move, by the configuration or what is shipped, and does not */
                            unserved: {
                                protocol: string;
                                /** @description Why the venue does not move it */
                                reason: string;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_market_data_prices_v2_by_asset: {
        parameters: {
            query?: {
                /** @description comma list of assets */
                assets?: string;
            };
            header?: never;
            path: {
                /** @description The asset the others are converted to */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Prices */
                        data: {
                            /** @description What one unit of each asset is worth in the asset of the path */
                            prices: {
                                [key: string]: string;
                            };
                            /** @description Milliseconds since the oldest price it was converted with */
                            ages: {
                                [key: string]: number;
                            };
                            /** @description Left out: there is no fresh price */
                            stale: string[];
                            /** @description Unix milliseconds, UTC */
                            timestamp: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_market_data_prices_v2_by_asset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The asset the others are converted to */
                asset: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "assets": [
                 *         "BTC",
                 *         "ETH"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description All configured assets when absent */
                    assets?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Prices */
                        data: {
                            /** @description What one unit of each asset is worth in the asset of the path */
                            prices: {
                                [key: string]: string;
                            };
                            /** @description Milliseconds since the oldest price it was converted with */
                            ages: {
                                [key: string]: number;
                            };
                            /** @description Left out: there is no fresh price */
                            stale: string[];
                            /** @description Unix milliseconds, UTC */
                            timestamp: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_market_data_prices_v2_by_asset_details: {
        parameters: {
            query?: {
                /** @description comma list of assets */
                assets?: string;
            };
            header?: never;
            path: {
                /** @description The asset the others are converted to */
                asset: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** PriceDetails */
                        data: {
                            /** @description What one unit of each asset is worth in the asset of the path */
                            prices: {
                                [key: string]: string;
                            };
                            /** @description Milliseconds since the oldest price it was converted with */
                            ages: {
                                [key: string]: number;
                            };
                            /** @description Left out: there is no fresh price */
                            stale: string[];
                            /** @description Unix milliseconds, UTC */
                            timestamp: number;
                            /** @description Circulating supply × price, in the asset of the path */
                            market_cap: {
                                [key: string]: string;
                            };
                            /** @description Milliseconds since the aggregator reported the supply; left out where the configuration declares it */
                            market_cap_ages: {
                                [key: string]: number;
                            };
                            /** @description Coins without a market cap: there is no fresh price, or no supply that is known and fresh */
                            market_cap_stale: string[];
                            /** @description Traded in 24 hours on all followed pairs, in the asset of the path */
                            "24h_volume": {
                                [key: string]: string;
                            };
                            /** @description Change of the price over 24 hours as a factor: 0.02 is 2 %; left out where a venue does not say */
                            "24h_change": {
                                [key: string]: string;
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_market_data_prices_v2_by_asset_details: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The asset the others are converted to */
                asset: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "assets": [
                 *         "BTC",
                 *         "ETH"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description All configured assets when absent */
                    assets?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** PriceDetails */
                        data: {
                            /** @description What one unit of each asset is worth in the asset of the path */
                            prices: {
                                [key: string]: string;
                            };
                            /** @description Milliseconds since the oldest price it was converted with */
                            ages: {
                                [key: string]: number;
                            };
                            /** @description Left out: there is no fresh price */
                            stale: string[];
                            /** @description Unix milliseconds, UTC */
                            timestamp: number;
                            /** @description Circulating supply × price, in the asset of the path */
                            market_cap: {
                                [key: string]: string;
                            };
                            /** @description Milliseconds since the aggregator reported the supply; left out where the configuration declares it */
                            market_cap_ages: {
                                [key: string]: number;
                            };
                            /** @description Coins without a market cap: there is no fresh price, or no supply that is known and fresh */
                            market_cap_stale: string[];
                            /** @description Traded in 24 hours on all followed pairs, in the asset of the path */
                            "24h_volume": {
                                [key: string]: string;
                            };
                            /** @description Change of the price over 24 hours as a factor: 0.02 is 2 %; left out where a venue does not say */
                            "24h_change": {
                                [key: string]: string;
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_wallets: {
        parameters: {
            query?: {
                id?: string;
                address?: string;
                reference_text?: string;
                foreign_id?: string;
                service_id?: string;
                venue_id?: string;
                customer_id?: string;
                /** @description comma list of CREATING, ACTIVE, FAILED */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "VENUE" | "CUSTOMER";
                            asset: string;
                            address: string;
                            label: string;
                            service_id: string | null;
                            venue_id: string | null;
                            account_id: string;
                            customer_id: string | null;
                            /** @enum {string} */
                            access_type: "EXTERNAL" | "INTERNAL";
                            configuration: {
                                /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                create_external_wallet?: boolean;
                                /** @description Vault: protocol of the asset at the venue */
                                protocol?: string;
                                /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                vault_id?: string;
                                /** @description Vault: name of the new vault; a generated one when empty */
                                vault_name?: string;
                                /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                customer_id?: string;
                                /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                wallet_id?: string;
                                /** @description Bank: our customer number */
                                customer_number?: string;
                                /** @description Bank: the sub-account; the address where absent */
                                customer_account_number?: string;
                            };
                            /** @description Where the wallet is inside its venue */
                            foreign_id: string | null;
                            reference_text: string | null;
                            /** @description The only protocol of this wallet, where it has only one */
                            protocol: string | null;
                            /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                            integrate_from: number | null;
                            /**
                             * @description CREATING: the venue is creating it; FAILED: the venue refused
                             * @enum {string}
                             */
                            state: "CREATING" | "ACTIVE" | "FAILED";
                            /** @description Why the venue did not create it */
                            reason: string | null;
                            /** @description The live matchings of its account that were made through it */
                            matching_configurations: {
                                /** @enum {string} */
                                type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                details: {
                                    asset: string;
                                    is_withdrawal_matching: boolean;
                                    destination_address: string | null;
                                    source_address: string | null;
                                    reference: string | null;
                                };
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_wallets: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "CUSTOMER",
                 *       "asset": "BTC",
                 *       "address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                 *       "label": "Jonas Keller, own address",
                 *       "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *       "customer_id": "01a1fc75-ea2a-7589-aa8f-000000000002",
                 *       "access_type": "EXTERNAL"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description VENUE: our own at a venue (omnibus, settlement). CUSTOMER: a customer's
                     * @enum {string}
                     */
                    type: "VENUE" | "CUSTOMER";
                    asset: string;
                    /** @description Blockchain address or IBAN; empty when configuration.create_external_wallet is true */
                    address: string;
                    label: string;
                    /** @description The wallet service of the venue; with venue_id makes the wallet INTERNAL */
                    service_id?: string;
                    /** @description Mandatory for VENUE */
                    venue_id?: string;
                    /** @description The customer's account, or an account of the venue */
                    account_id: string;
                    /** @description Mandatory for CUSTOMER */
                    customer_id?: string;
                    /** @enum {string} */
                    access_type: "EXTERNAL" | "INTERNAL";
                    configuration?: {
                        /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                        create_external_wallet?: boolean;
                        /** @description Vault: protocol of the asset at the venue */
                        protocol?: string;
                        /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                        vault_id?: string;
                        /** @description Vault: name of the new vault; a generated one when empty */
                        vault_name?: string;
                        /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                        customer_id?: string;
                        /** @description Managed wallets: the wallet at the venue; stored when it was made */
                        wallet_id?: string;
                        /** @description Bank: our customer number */
                        customer_number?: string;
                        /** @description Bank: the sub-account; the address where absent */
                        customer_account_number?: string;
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Wallet */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "VENUE" | "CUSTOMER";
                            asset: string;
                            address: string;
                            label: string;
                            service_id: string | null;
                            venue_id: string | null;
                            account_id: string;
                            customer_id: string | null;
                            /** @enum {string} */
                            access_type: "EXTERNAL" | "INTERNAL";
                            configuration: {
                                /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                create_external_wallet?: boolean;
                                /** @description Vault: protocol of the asset at the venue */
                                protocol?: string;
                                /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                vault_id?: string;
                                /** @description Vault: name of the new vault; a generated one when empty */
                                vault_name?: string;
                                /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                customer_id?: string;
                                /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                wallet_id?: string;
                                /** @description Bank: our customer number */
                                customer_number?: string;
                                /** @description Bank: the sub-account; the address where absent */
                                customer_account_number?: string;
                            };
                            /** @description Where the wallet is inside its venue */
                            foreign_id: string | null;
                            reference_text: string | null;
                            /** @description The only protocol of this wallet, where it has only one */
                            protocol: string | null;
                            /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                            integrate_from: number | null;
                            /**
                             * @description CREATING: the venue is creating it; FAILED: the venue refused
                             * @enum {string}
                             */
                            state: "CREATING" | "ACTIVE" | "FAILED";
                            /** @description Why the venue did not create it */
                            reason: string | null;
                            /** @description The live matchings of its account that were made through it */
                            matching_configurations: {
                                /** @enum {string} */
                                type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                details: {
                                    asset: string;
                                    is_withdrawal_matching: boolean;
                                    destination_address: string | null;
                                    source_address: string | null;
                                    reference: string | null;
                                };
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_wallets_by_wallet_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "VENUE" | "CUSTOMER";
                            asset: string;
                            address: string;
                            label: string;
                            service_id: string | null;
                            venue_id: string | null;
                            account_id: string;
                            customer_id: string | null;
                            /** @enum {string} */
                            access_type: "EXTERNAL" | "INTERNAL";
                            configuration: {
                                /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                create_external_wallet?: boolean;
                                /** @description Vault: protocol of the asset at the venue */
                                protocol?: string;
                                /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                vault_id?: string;
                                /** @description Vault: name of the new vault; a generated one when empty */
                                vault_name?: string;
                                /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                customer_id?: string;
                                /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                wallet_id?: string;
                                /** @description Bank: our customer number */
                                customer_number?: string;
                                /** @description Bank: the sub-account; the address where absent */
                                customer_account_number?: string;
                            };
                            /** @description Where the wallet is inside its venue */
                            foreign_id: string | null;
                            reference_text: string | null;
                            /** @description The only protocol of this wallet, where it has only one */
                            protocol: string | null;
                            /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                            integrate_from: number | null;
                            /**
                             * @description CREATING: the venue is creating it; FAILED: the venue refused
                             * @enum {string}
                             */
                            state: "CREATING" | "ACTIVE" | "FAILED";
                            /** @description Why the venue did not create it */
                            reason: string | null;
                            /** @description The live matchings of its account that were made through it */
                            matching_configurations: {
                                /** @enum {string} */
                                type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                details: {
                                    asset: string;
                                    is_withdrawal_matching: boolean;
                                    destination_address: string | null;
                                    source_address: string | null;
                                    reference: string | null;
                                };
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_treasury_wallets_by_wallet_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "CUSTOMER",
                 *       "asset": "BTC",
                 *       "address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                 *       "label": "Jonas Keller, cold wallet",
                 *       "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *       "customer_id": "01a1fc75-ea2a-7589-aa8f-000000000002",
                 *       "access_type": "EXTERNAL",
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /**
                     * @description VENUE: our own at a venue (omnibus, settlement). CUSTOMER: a customer's
                     * @enum {string}
                     */
                    type: "VENUE" | "CUSTOMER";
                    asset: string;
                    /** @description Blockchain address or IBAN; empty when configuration.create_external_wallet is true */
                    address: string;
                    label: string;
                    /** @description The wallet service of the venue; with venue_id makes the wallet INTERNAL */
                    service_id?: string;
                    /** @description Mandatory for VENUE */
                    venue_id?: string;
                    /** @description The customer's account, or an account of the venue */
                    account_id: string;
                    /** @description Mandatory for CUSTOMER */
                    customer_id?: string;
                    /** @enum {string} */
                    access_type: "EXTERNAL" | "INTERNAL";
                    configuration?: {
                        /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                        create_external_wallet?: boolean;
                        /** @description Vault: protocol of the asset at the venue */
                        protocol?: string;
                        /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                        vault_id?: string;
                        /** @description Vault: name of the new vault; a generated one when empty */
                        vault_name?: string;
                        /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                        customer_id?: string;
                        /** @description Managed wallets: the wallet at the venue; stored when it was made */
                        wallet_id?: string;
                        /** @description Bank: our customer number */
                        customer_number?: string;
                        /** @description Bank: the sub-account; the address where absent */
                        customer_account_number?: string;
                    };
                    /** @description Replaces the matchings made through this wallet for its account; absent: they stay; []: none. Ignored for a wallet that its venue made */
                    matching_configurations?: {
                        /** @enum {string} */
                        type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                        details: {
                            asset: string;
                            /** @description true: applies to withdrawals; false: to deposits */
                            is_withdrawal_matching: boolean;
                            /** @description Required and used for DESTINATION types only */
                            destination_address?: string;
                            /** @description Required and used for SOURCE types only */
                            source_address?: string;
                            /** @description Required and used for types WITH_REFERENCE only: equals the tag, or whole words of the reference text */
                            reference?: string;
                        };
                    }[];
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Wallet */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "VENUE" | "CUSTOMER";
                            asset: string;
                            address: string;
                            label: string;
                            service_id: string | null;
                            venue_id: string | null;
                            account_id: string;
                            customer_id: string | null;
                            /** @enum {string} */
                            access_type: "EXTERNAL" | "INTERNAL";
                            configuration: {
                                /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                create_external_wallet?: boolean;
                                /** @description Vault: protocol of the asset at the venue */
                                protocol?: string;
                                /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                vault_id?: string;
                                /** @description Vault: name of the new vault; a generated one when empty */
                                vault_name?: string;
                                /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                customer_id?: string;
                                /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                wallet_id?: string;
                                /** @description Bank: our customer number */
                                customer_number?: string;
                                /** @description Bank: the sub-account; the address where absent */
                                customer_account_number?: string;
                            };
                            /** @description Where the wallet is inside its venue */
                            foreign_id: string | null;
                            reference_text: string | null;
                            /** @description The only protocol of this wallet, where it has only one */
                            protocol: string | null;
                            /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                            integrate_from: number | null;
                            /**
                             * @description CREATING: the venue is creating it; FAILED: the venue refused
                             * @enum {string}
                             */
                            state: "CREATING" | "ACTIVE" | "FAILED";
                            /** @description Why the venue did not create it */
                            reason: string | null;
                            /** @description The live matchings of its account that were made through it */
                            matching_configurations: {
                                /** @enum {string} */
                                type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                details: {
                                    asset: string;
                                    is_withdrawal_matching: boolean;
                                    destination_address: string | null;
                                    source_address: string | null;
                                    reference: string | null;
                                };
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_wallets_by_wallet_id_balance: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                wallet_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** WalletBalance */
                        data: {
                            /** @description null: the venue does not report it */
                            free: string | null;
                            /** @description null: the venue does not report it */
                            used: string | null;
                            /** @description null: the venue does not report it */
                            total: string | null;
                            protocol: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_wallets_routes: {
        parameters: {
            query?: {
                workspace?: string;
                id?: string;
                from_wallet_id?: string;
                to_wallet_id?: string;
                protocol?: string;
                /** @description comma list of NOT_REQUESTED, PENDING_APPROVAL, APPROVED, REJECTED, FAILED, REMOVED */
                allowlist_state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            from_wallet_id: string;
                            to_wallet_id: string;
                            protocol: string;
                            transfer: {
                                from: {
                                    [key: string]: string;
                                };
                                to: {
                                    /** @description The venue reports it */
                                    on_allowlist: boolean;
                                    /** @enum {string} */
                                    allowlist_state: "NOT_REQUESTED" | "PENDING_APPROVAL" | "APPROVED" | "REJECTED" | "FAILED" | "REMOVED";
                                } & {
                                    [key: string]: string;
                                };
                            };
                            settlement: Record<string, never>;
                            /** @enum {string} */
                            state: "ACTIVE";
                            /** Wallet */
                            from_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                            /** Wallet */
                            to_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_wallets_routes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_wallet_id": "01a1fc75-ea2a-7589-aa8f-000000000004",
                 *       "to_wallet_id": "01a1fc75-ea2a-7589-aa8f-000000000005",
                 *       "protocol": "BTC",
                 *       "label": "BTC to Jonas Keller"
                 *     }
                 */
                "application/json": {
                    /** @description The sending wallet: a wallet at a venue */
                    from_wallet_id: string;
                    /** @description The receiving wallet, of the same asset */
                    to_wallet_id: string;
                    /** @description Transfer protocol of the asset at the sending venue */
                    protocol: string;
                    label: string;
                    transfer?: {
                        /** @description How it is sent; see the route fields */
                        from?: {
                            [key: string]: string | boolean | null;
                        };
                        /** @description Whom it reaches; see the route fields. on_allowlist and allowlist_state are ignored */
                        to?: {
                            [key: string]: string | boolean | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TreasuryRoute */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            from_wallet_id: string;
                            to_wallet_id: string;
                            protocol: string;
                            transfer: {
                                from: {
                                    [key: string]: string;
                                };
                                to: {
                                    /** @description The venue reports it */
                                    on_allowlist: boolean;
                                    /** @enum {string} */
                                    allowlist_state: "NOT_REQUESTED" | "PENDING_APPROVAL" | "APPROVED" | "REJECTED" | "FAILED" | "REMOVED";
                                } & {
                                    [key: string]: string;
                                };
                            };
                            settlement: Record<string, never>;
                            /** @enum {string} */
                            state: "ACTIVE";
                            /** Wallet */
                            from_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                            /** Wallet */
                            to_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_wallets_routes_fields_by_from_wallet_id_by_protocol: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                from_wallet_id: string;
                protocol: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TransferFields */
                        data: {
                            from: {
                                name: string;
                                /** @enum {string} */
                                type: "string" | "boolean";
                                required: boolean;
                                description: string;
                                enum?: string[];
                            }[];
                            to: {
                                name: string;
                                /** @enum {string} */
                                type: "string" | "boolean";
                                required: boolean;
                                description: string;
                                enum?: string[];
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_treasury_wallets_routes_by_route_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                route_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_wallet_id": "01a1fc75-ea2a-7589-aa8f-000000000004",
                 *       "to_wallet_id": "01a1fc75-ea2a-7589-aa8f-000000000005",
                 *       "protocol": "BTC",
                 *       "label": "Bitcoin to Jonas Keller",
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The sending wallet: a wallet at a venue */
                    from_wallet_id: string;
                    /** @description The receiving wallet, of the same asset */
                    to_wallet_id: string;
                    /** @description Transfer protocol of the asset at the sending venue */
                    protocol: string;
                    label: string;
                    transfer?: {
                        /** @description How it is sent; see the route fields */
                        from?: {
                            [key: string]: string | boolean | null;
                        };
                        /** @description Whom it reaches; see the route fields. on_allowlist and allowlist_state are ignored */
                        to?: {
                            [key: string]: string | boolean | null;
                        };
                    };
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TreasuryRoute */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            from_wallet_id: string;
                            to_wallet_id: string;
                            protocol: string;
                            transfer: {
                                from: {
                                    [key: string]: string;
                                };
                                to: {
                                    /** @description The venue reports it */
                                    on_allowlist: boolean;
                                    /** @enum {string} */
                                    allowlist_state: "NOT_REQUESTED" | "PENDING_APPROVAL" | "APPROVED" | "REJECTED" | "FAILED" | "REMOVED";
                                } & {
                                    [key: string]: string;
                                };
                            };
                            settlement: Record<string, never>;
                            /** @enum {string} */
                            state: "ACTIVE";
                            /** Wallet */
                            from_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                            /** Wallet */
                            to_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_wallets_routes_by_route_id_estimate_fee: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                route_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quantity": "0.25"
                 *     }
                 */
                "application/json": {
                    /** @description The quantity that arrives */
                    quantity: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** FeeEstimate */
                        data: {
                            /** @description The asset of the fee */
                            asset: string;
                            /** @description Whether the venue takes a custom fee (speed_level CUSTOM) */
                            custom: boolean;
                            /** @description The day on which the bank executes what is sent now. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description Texts of the route that the bank is sent in other characters than they were typed, by the names of their fields */
                            sent_as: {
                                [key: string]: string;
                            };
                            speed_levels: {
                                DEFAULT: {
                                    fee: string;
                                };
                                FAST: {
                                    fee: string;
                                };
                                SLOW: {
                                    fee: string;
                                };
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_treasury_wallets_routes_by_route_id_allow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                route_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description The sending wallet: a wallet at a venue */
                    from_wallet_id?: string;
                    /** @description The receiving wallet, of the same asset */
                    to_wallet_id?: string;
                    /** @description Transfer protocol of the asset at the sending venue */
                    protocol?: string;
                    label?: string;
                    transfer?: {
                        /** @description How it is sent; see the route fields */
                        from?: {
                            [key: string]: string | boolean | null;
                        };
                        /** @description Whom it reaches; see the route fields. on_allowlist and allowlist_state are ignored */
                        to?: {
                            [key: string]: string | boolean | null;
                        };
                    };
                    settlement?: Record<string, never>;
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TreasuryRoute */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            from_wallet_id: string;
                            to_wallet_id: string;
                            protocol: string;
                            transfer: {
                                from: {
                                    [key: string]: string;
                                };
                                to: {
                                    /** @description The venue reports it */
                                    on_allowlist: boolean;
                                    /** @enum {string} */
                                    allowlist_state: "NOT_REQUESTED" | "PENDING_APPROVAL" | "APPROVED" | "REJECTED" | "FAILED" | "REMOVED";
                                } & {
                                    [key: string]: string;
                                };
                            };
                            settlement: Record<string, never>;
                            /** @enum {string} */
                            state: "ACTIVE";
                            /** Wallet */
                            from_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                            /** Wallet */
                            to_wallet: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                type: "VENUE" | "CUSTOMER";
                                asset: string;
                                address: string;
                                label: string;
                                service_id: string | null;
                                venue_id: string | null;
                                account_id: string;
                                customer_id: string | null;
                                /** @enum {string} */
                                access_type: "EXTERNAL" | "INTERNAL";
                                configuration: {
                                    /** @description Vault and managed wallets: true makes the wallet at the venue, whose new address is stored; then only label, type, customer and account can be changed */
                                    create_external_wallet?: boolean;
                                    /** @description Vault: protocol of the asset at the venue */
                                    protocol?: string;
                                    /** @description Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault is made for it and its id stored */
                                    vault_id?: string;
                                    /** @description Vault: name of the new vault; a generated one when empty */
                                    vault_name?: string;
                                    /** @description Managed wallets: the venue's customer for whom the wallet is made; required for that */
                                    customer_id?: string;
                                    /** @description Managed wallets: the wallet at the venue; stored when it was made */
                                    wallet_id?: string;
                                    /** @description Bank: our customer number */
                                    customer_number?: string;
                                    /** @description Bank: the sub-account; the address where absent */
                                    customer_account_number?: string;
                                };
                                /** @description Where the wallet is inside its venue */
                                foreign_id: string | null;
                                reference_text: string | null;
                                /** @description The only protocol of this wallet, where it has only one */
                                protocol: string | null;
                                /** @description Movements before this belong to the opening balance; null: those the venue showed when it was connected */
                                integrate_from: number | null;
                                /**
                                 * @description CREATING: the venue is creating it; FAILED: the venue refused
                                 * @enum {string}
                                 */
                                state: "CREATING" | "ACTIVE" | "FAILED";
                                /** @description Why the venue did not create it */
                                reason: string | null;
                                /** @description The live matchings of its account that were made through it */
                                matching_configurations: {
                                    /** @enum {string} */
                                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                                    details: {
                                        asset: string;
                                        is_withdrawal_matching: boolean;
                                        destination_address: string | null;
                                        source_address: string | null;
                                        reference: string | null;
                                    };
                                }[];
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_accounts_matchings: {
        parameters: {
            query?: {
                id?: string;
                account_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            resource_id: string;
                            /** @enum {string} */
                            type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                            details: {
                                asset: string;
                                is_withdrawal_matching: boolean;
                                destination_address: string | null;
                                source_address: string | null;
                                reference: string | null;
                            };
                            /** @description The wallet through which it was made */
                            wallet_id: string | null;
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_accounts_matchings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000008",
                 *       "resource_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *       "type": "SOURCE_WITHOUT_REFERENCE",
                 *       "details": {
                 *         "asset": "EUR",
                 *         "is_withdrawal_matching": false,
                 *         "source_address": "AT611904300234573201"
                 *       },
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    id: string;
                    /** @description A customer's account, or one of type INCOME, EXPENSE or HOUSE */
                    resource_id: string;
                    /** @enum {string} */
                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                    details: {
                        asset: string;
                        /** @description true: applies to withdrawals; false: to deposits */
                        is_withdrawal_matching: boolean;
                        /** @description Required and used for DESTINATION types only */
                        destination_address?: string;
                        /** @description Required and used for SOURCE types only */
                        source_address?: string;
                        /** @description Required and used for types WITH_REFERENCE only: equals the tag, or whole words of the reference text */
                        reference?: string;
                    };
                    /** @description The caller's own */
                    workspace?: string;
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Matching */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            resource_id: string;
                            /** @enum {string} */
                            type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                            details: {
                                asset: string;
                                is_withdrawal_matching: boolean;
                                destination_address: string | null;
                                source_address: string | null;
                                reference: string | null;
                            };
                            /** @description The wallet through which it was made */
                            wallet_id: string | null;
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_accounts_matchings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "resource_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *       "type": "SOURCE_WITHOUT_REFERENCE",
                 *       "details": {
                 *         "asset": "EUR",
                 *         "is_withdrawal_matching": false,
                 *         "source_address": "AT611904300234573201"
                 *       }
                 *     }
                 */
                "application/json": {
                    /** @description A customer's account, or one of type INCOME, EXPENSE or HOUSE */
                    resource_id: string;
                    /** @enum {string} */
                    type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                    details: {
                        asset: string;
                        /** @description true: applies to withdrawals; false: to deposits */
                        is_withdrawal_matching: boolean;
                        /** @description Required and used for DESTINATION types only */
                        destination_address?: string;
                        /** @description Required and used for SOURCE types only */
                        source_address?: string;
                        /** @description Required and used for types WITH_REFERENCE only: equals the tag, or whole words of the reference text */
                        reference?: string;
                    };
                    /** @description The caller's own */
                    workspace?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Matching */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            resource_id: string;
                            /** @enum {string} */
                            type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                            details: {
                                asset: string;
                                is_withdrawal_matching: boolean;
                                destination_address: string | null;
                                source_address: string | null;
                                reference: string | null;
                            };
                            /** @description The wallet through which it was made */
                            wallet_id: string | null;
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_accounts_matchings_by_matching_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                matching_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Matching */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            resource_id: string;
                            /** @enum {string} */
                            type: "DESTINATION_WITH_REFERENCE" | "DESTINATION_WITHOUT_REFERENCE" | "SOURCE_WITH_REFERENCE" | "SOURCE_WITHOUT_REFERENCE";
                            details: {
                                asset: string;
                                is_withdrawal_matching: boolean;
                                destination_address: string | null;
                                source_address: string | null;
                                reference: string | null;
                            };
                            /** @description The wallet through which it was made */
                            wallet_id: string | null;
                            /** @enum {string} */
                            state: "ACTIVE" | "DELETED";
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_deposits: {
        parameters: {
            query?: {
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                system_created_at_from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                system_created_at_to?: string;
                foreign_id?: string;
                /** @description comma list of PENDING, PENDING_REVIEW, FAILED, REVERSED, UNASSIGNED, PARTIALLY_ASSIGNED, ASSIGNED, SUCCESSFUL, REJECTED, RETURNED */
                state?: string;
                related_withdrawal_id?: string;
                gone_twice?: "true" | "false";
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "FAILED" | "REVERSED" | "UNASSIGNED" | "PARTIALLY_ASSIGNED" | "ASSIGNED" | "SUCCESSFUL" | "REJECTED" | "RETURNED";
                            asset: string;
                            protocol: string | null;
                            quantity: string;
                            /** @description What of it needs no assignment: an own transfer, or what a venue pays for a settlement. The rest, of payments of accounts that left with the transfer, is assigned like any deposit */
                            transfer_quantity: string;
                            /** @description Of PENDING and SUCCESSFUL assignments */
                            assigned_quantity: string;
                            /** @description What has gone back to its sender */
                            returned_quantity: string;
                            /** @description What is about to go back: of returns that have not ended */
                            returning_quantity: string;
                            /** @description Of returned_quantity, what no account had */
                            returned_unassigned: string;
                            /** @description Of returning_quantity, what no account has */
                            returning_unassigned: string;
                            service_id: string;
                            venue_id: string;
                            wallet_id: string | null;
                            foreign_id: string;
                            transaction_hash: string | null;
                            output_index: number | null;
                            source_address: string | null;
                            destination_address: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            counterparty: {
                                name: string | null;
                                iban: string | null;
                                bic: string | null;
                            } | null;
                            confirmations: number | null;
                            required_confirmations: number | null;
                            /** @description The withdrawal that arrives here, or that the bank returned */
                            related_withdrawal_id: string | null;
                            /** @description The settlement that a venue pays with it */
                            settlement_id: string | null;
                            /** @description The arrival of an own transfer, or what a venue pays for a settlement */
                            own_transfer: boolean;
                            reason_code: string | null;
                            reason: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When the venue saw it */
                            occurred_at: number;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_deposits_by_deposit_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Deposit */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "FAILED" | "REVERSED" | "UNASSIGNED" | "PARTIALLY_ASSIGNED" | "ASSIGNED" | "SUCCESSFUL" | "REJECTED" | "RETURNED";
                            asset: string;
                            protocol: string | null;
                            quantity: string;
                            /** @description What of it needs no assignment: an own transfer, or what a venue pays for a settlement. The rest, of payments of accounts that left with the transfer, is assigned like any deposit */
                            transfer_quantity: string;
                            /** @description Of PENDING and SUCCESSFUL assignments */
                            assigned_quantity: string;
                            /** @description What has gone back to its sender */
                            returned_quantity: string;
                            /** @description What is about to go back: of returns that have not ended */
                            returning_quantity: string;
                            /** @description Of returned_quantity, what no account had */
                            returned_unassigned: string;
                            /** @description Of returning_quantity, what no account has */
                            returning_unassigned: string;
                            service_id: string;
                            venue_id: string;
                            wallet_id: string | null;
                            foreign_id: string;
                            transaction_hash: string | null;
                            output_index: number | null;
                            source_address: string | null;
                            destination_address: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            counterparty: {
                                name: string | null;
                                iban: string | null;
                                bic: string | null;
                            } | null;
                            confirmations: number | null;
                            required_confirmations: number | null;
                            /** @description The withdrawal that arrives here, or that the bank returned */
                            related_withdrawal_id: string | null;
                            /** @description The settlement that a venue pays with it */
                            settlement_id: string | null;
                            /** @description The arrival of an own transfer, or what a venue pays for a settlement */
                            own_transfer: boolean;
                            reason_code: string | null;
                            reason: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When the venue saw it */
                            occurred_at: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_deposits_by_deposit_id_suggestions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            account_id: string;
                            account_label: string;
                            customer_id: string;
                            /** @description The withdrawal of this account that arrives with the deposit */
                            withdrawal_id: string | null;
                            /** @description How likely it is; the list is in this order */
                            score: number;
                            /** @description The unassigned part of the deposit */
                            quantity: string;
                            /** @description The strongest reason first */
                            reasons: {
                                /** @enum {string} */
                                code: "ITS_WITHDRAWAL" | "CUSTOMERS_WALLET" | "FOREIGN_ID" | "SAME_SOURCE" | "MATCHING_REFERENCE" | "MATCHING_ADDRESS" | "NAME" | "PAID_BEFORE" | "PART_OF_NAME" | "SAME_AMOUNT";
                                explanation: string;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_deposits_by_deposit_id_return: {
        parameters: {
            query?: {
                dry_run?: "true" | "false";
            };
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quantity": "250",
                 *       "reason": "The payer is not a customer"
                 *     }
                 */
                "application/json": {
                    /** @description The quantity that arrives; all that can be returned when it is absent */
                    quantity?: string;
                    /** @description Whose part it returns; absent: what is not assigned to anybody */
                    account_id?: string;
                    /** @description Over which it goes back; needed where the venue named no payer that it can pay, and for money of a withdrawal that came back */
                    route_id?: string;
                    /** @description Why it is returned */
                    reason: string;
                    /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                    third_party?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        } | {
                            /** @description Always true: nothing was changed */
                            dry_run: boolean;
                            /** @description What arrives */
                            quantity: string;
                            asset: string;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            fee_asset: string | null;
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_venues_by_venue_id_push: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                venue_id: string;
            };
            cookie?: never;
        };
        /** @description The venue's own message */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event": "payment.received",
                 *       "payment": "4711"
                 *     }
                 */
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Push */
                        data: {
                            /** @description Whether the venue will be read now */
                            read: boolean;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_deposits_by_deposit_id_transfer_suggestions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description The own transfer; null for a part */
                            withdrawal_id: string | null;
                            /** @description The part of a settlement; null for an own transfer */
                            part_id: string | null;
                            settlement_id: string | null;
                            /** @description Where it comes from */
                            venue_id: string;
                            quantity: string;
                            /** @description When it was sent, or from when on it is expected */
                            since: number;
                            /** @description How likely it is; the list is in this order */
                            score: number;
                            /** @description The strongest reason first */
                            reasons: {
                                /** @enum {string} */
                                code: "SAME_TRANSACTION" | "OUR_REFERENCE" | "SAME_PAYER" | "SAME_AMOUNT";
                                explanation: string;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_deposits_by_deposit_id_relate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "withdrawal_id": "01a1fc75-ea2a-7589-aa8f-000000000015"
                 *     }
                 */
                "application/json": {
                    /** @description The own transfer that arrives as it */
                    withdrawal_id?: string;
                    /** @description The part of a settlement that the venue pays with it; instead of a withdrawal */
                    part_id?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Deposit */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "FAILED" | "REVERSED" | "UNASSIGNED" | "PARTIALLY_ASSIGNED" | "ASSIGNED" | "SUCCESSFUL" | "REJECTED" | "RETURNED";
                            asset: string;
                            protocol: string | null;
                            quantity: string;
                            /** @description What of it needs no assignment: an own transfer, or what a venue pays for a settlement. The rest, of payments of accounts that left with the transfer, is assigned like any deposit */
                            transfer_quantity: string;
                            /** @description Of PENDING and SUCCESSFUL assignments */
                            assigned_quantity: string;
                            /** @description What has gone back to its sender */
                            returned_quantity: string;
                            /** @description What is about to go back: of returns that have not ended */
                            returning_quantity: string;
                            /** @description Of returned_quantity, what no account had */
                            returned_unassigned: string;
                            /** @description Of returning_quantity, what no account has */
                            returning_unassigned: string;
                            service_id: string;
                            venue_id: string;
                            wallet_id: string | null;
                            foreign_id: string;
                            transaction_hash: string | null;
                            output_index: number | null;
                            source_address: string | null;
                            destination_address: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            counterparty: {
                                name: string | null;
                                iban: string | null;
                                bic: string | null;
                            } | null;
                            confirmations: number | null;
                            required_confirmations: number | null;
                            /** @description The withdrawal that arrives here, or that the bank returned */
                            related_withdrawal_id: string | null;
                            /** @description The settlement that a venue pays with it */
                            settlement_id: string | null;
                            /** @description The arrival of an own transfer, or what a venue pays for a settlement */
                            own_transfer: boolean;
                            reason_code: string | null;
                            reason: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When the venue saw it */
                            occurred_at: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_deposits_by_deposit_id_unrelate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "A customer's wire of the same amount"
                 *     }
                 */
                "application/json": {
                    /** @description Why it is not the arrival */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Deposit */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "FAILED" | "REVERSED" | "UNASSIGNED" | "PARTIALLY_ASSIGNED" | "ASSIGNED" | "SUCCESSFUL" | "REJECTED" | "RETURNED";
                            asset: string;
                            protocol: string | null;
                            quantity: string;
                            /** @description What of it needs no assignment: an own transfer, or what a venue pays for a settlement. The rest, of payments of accounts that left with the transfer, is assigned like any deposit */
                            transfer_quantity: string;
                            /** @description Of PENDING and SUCCESSFUL assignments */
                            assigned_quantity: string;
                            /** @description What has gone back to its sender */
                            returned_quantity: string;
                            /** @description What is about to go back: of returns that have not ended */
                            returning_quantity: string;
                            /** @description Of returned_quantity, what no account had */
                            returned_unassigned: string;
                            /** @description Of returning_quantity, what no account has */
                            returning_unassigned: string;
                            service_id: string;
                            venue_id: string;
                            wallet_id: string | null;
                            foreign_id: string;
                            transaction_hash: string | null;
                            output_index: number | null;
                            source_address: string | null;
                            destination_address: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            counterparty: {
                                name: string | null;
                                iban: string | null;
                                bic: string | null;
                            } | null;
                            confirmations: number | null;
                            required_confirmations: number | null;
                            /** @description The withdrawal that arrives here, or that the bank returned */
                            related_withdrawal_id: string | null;
                            /** @description The settlement that a venue pays with it */
                            settlement_id: string | null;
                            /** @description The arrival of an own transfer, or what a venue pays for a settlement */
                            own_transfer: boolean;
                            reason_code: string | null;
                            reason: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When the venue saw it */
                            occurred_at: number;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_withdrawals: {
        parameters: {
            query?: {
                /** @description comma list of PENDING, PENDING_REVIEW, UNKNOWN, SUCCESS, FAILED, REJECTED, CANCELED */
                state?: string;
                stuck?: "true" | "false";
                unassigned?: "true" | "false";
                returns_deposit_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_withdrawals_by_withdrawals_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawals_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Withdrawal */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_wallets_routes_by_treasury_route_id_withdrawals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                treasury_route_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "quantity": "0.25",
                 *       "speed_level": "DEFAULT",
                 *       "purpose": "Savings",
                 *       "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001"
                 *     }
                 */
                "application/json": {
                    /** @description The quantity that arrives */
                    quantity: string;
                    /** @enum {string} */
                    speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                    /** @description The venue's estimate for the speed level; with CUSTOM it is required and any fee */
                    fee?: string;
                    note?: string;
                    /** @description What the payment is for: shown to the customer, and sent where the protocol has room */
                    purpose?: string;
                    /** @description The customer account to debit; the amount is blocked on it */
                    account_id?: string;
                    /** @description Another name of account_id */
                    account?: string;
                    /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                    third_party?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Withdrawal */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_by_withdrawal_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The customer changed their mind"
                 *     }
                 */
                "application/json": {
                    /** @description Why */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Withdrawal */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_by_withdrawal_id_resolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "SUCCESS",
                 *       "evidence": "Statement of 3 March, line 12",
                 *       "foreign_id": "P-4711",
                 *       "fee": "0.20"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description The outcome
                     * @enum {string}
                     */
                    state: "SUCCESS" | "FAILED";
                    /** @description The evidence: who confirmed it, a block explorer, a statement */
                    evidence: string;
                    /** @description The venue's reference */
                    foreign_id?: string;
                    transaction_hash?: string;
                    /** @description The fee that the venue took, in the fee asset; also of a failure */
                    fee?: string;
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Withdrawal */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_by_withdrawal_id_recheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Withdrawal */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_by_withdrawal_id_review_decision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "RELEASE",
                 *       "payee_check": "RVMC",
                 *       "reason": "The payee confirmed by phone that the account is in their maiden name"
                 *     }
                 */
                "application/json": {
                    /**
                     * @description RELEASE: pay it all the same. WITHDRAW: do not pay it
                     * @enum {string}
                     */
                    decision: "RELEASE" | "WITHDRAW";
                    /** @description The finding that is decided about, as the withdrawal shows it */
                    payee_check: string;
                    /** @description Why: who confirmed the name, for example */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Withdrawal */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_set_aside_items: {
        parameters: {
            query?: {
                /** @description comma list of OPEN, RESOLVED, DISMISSED */
                state?: string;
                venue_id?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                system_created_at_from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                system_created_at_to?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /**
                             * @description RESOLVED: its record was understood and taken into the books; DISMISSED: by a user
                             * @enum {string}
                             */
                            state: "OPEN" | "RESOLVED" | "DISMISSED";
                            venue_id: string;
                            /** @enum {string} */
                            kind: "TRANSFER" | "TRADE";
                            /** @description The venue's id of the record, or one that follows from its content */
                            foreign_id: string;
                            /**
                             * @description Null where the record does not say
                             * @enum {string|null}
                             */
                            direction: "IN" | "OUT" | null;
                            /** @description Why it was not understood or not booked */
                            reason: string;
                            /** @description Characters of the record as the venue gave it */
                            raw_length: number;
                            /** @description When the venue saw it, where the record says so */
                            occurred_at: number | null;
                            /** @description When a user last tried it again */
                            retried_at: number | null;
                            retried_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            closed_at: number | null;
                            closed_by: string | null;
                            /** @description Why a user dismissed it */
                            note: string | null;
                            /** @description Amount and asset as the record has them, unchecked; null where it names none */
                            amount: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_set_aside_items_by_set_aside_item_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                set_aside_item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** SetAsideItemDetail */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /**
                             * @description RESOLVED: its record was understood and taken into the books; DISMISSED: by a user
                             * @enum {string}
                             */
                            state: "OPEN" | "RESOLVED" | "DISMISSED";
                            venue_id: string;
                            /** @enum {string} */
                            kind: "TRANSFER" | "TRADE";
                            /** @description The venue's id of the record, or one that follows from its content */
                            foreign_id: string;
                            /**
                             * @description Null where the record does not say
                             * @enum {string|null}
                             */
                            direction: "IN" | "OUT" | null;
                            /** @description Why it was not understood or not booked */
                            reason: string;
                            /** @description Characters of the record as the venue gave it */
                            raw_length: number;
                            /** @description When the venue saw it, where the record says so */
                            occurred_at: number | null;
                            /** @description When a user last tried it again */
                            retried_at: number | null;
                            retried_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            closed_at: number | null;
                            closed_by: string | null;
                            /** @description Why a user dismissed it */
                            note: string | null;
                            /** @description The record as the venue gave it. What cannot be stored is escaped; a very long one is cut */
                            raw: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_set_aside_items_by_set_aside_item_id_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                set_aside_item_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** SetAsideItemDetail */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /**
                             * @description RESOLVED: its record was understood and taken into the books; DISMISSED: by a user
                             * @enum {string}
                             */
                            state: "OPEN" | "RESOLVED" | "DISMISSED";
                            venue_id: string;
                            /** @enum {string} */
                            kind: "TRANSFER" | "TRADE";
                            /** @description The venue's id of the record, or one that follows from its content */
                            foreign_id: string;
                            /**
                             * @description Null where the record does not say
                             * @enum {string|null}
                             */
                            direction: "IN" | "OUT" | null;
                            /** @description Why it was not understood or not booked */
                            reason: string;
                            /** @description Characters of the record as the venue gave it */
                            raw_length: number;
                            /** @description When the venue saw it, where the record says so */
                            occurred_at: number | null;
                            /** @description When a user last tried it again */
                            retried_at: number | null;
                            retried_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            closed_at: number | null;
                            closed_by: string | null;
                            /** @description Why a user dismissed it */
                            note: string | null;
                            /** @description The record as the venue gave it. What cannot be stored is escaped; a very long one is cut */
                            raw: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_set_aside_items_by_set_aside_item_id_dismiss: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                set_aside_item_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "Booked by hand after a call with the bank"
                 *     }
                 */
                "application/json": {
                    /** @description Why the record needs no further attention */
                    note: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** SetAsideItemDetail */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /**
                             * @description RESOLVED: its record was understood and taken into the books; DISMISSED: by a user
                             * @enum {string}
                             */
                            state: "OPEN" | "RESOLVED" | "DISMISSED";
                            venue_id: string;
                            /** @enum {string} */
                            kind: "TRANSFER" | "TRADE";
                            /** @description The venue's id of the record, or one that follows from its content */
                            foreign_id: string;
                            /**
                             * @description Null where the record does not say
                             * @enum {string|null}
                             */
                            direction: "IN" | "OUT" | null;
                            /** @description Why it was not understood or not booked */
                            reason: string;
                            /** @description Characters of the record as the venue gave it */
                            raw_length: number;
                            /** @description When the venue saw it, where the record says so */
                            occurred_at: number | null;
                            /** @description When a user last tried it again */
                            retried_at: number | null;
                            retried_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            closed_at: number | null;
                            closed_by: string | null;
                            /** @description Why a user dismissed it */
                            note: string | null;
                            /** @description The record as the venue gave it. What cannot be stored is escaped; a very long one is cut */
                            raw: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_batch_prepare: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "withdrawals": [
                 *         {
                 *           "route_id": "01a1fc75-ea2a-7589-aa8f-000000000006",
                 *           "quantity": "0.25",
                 *           "speed_level": "DEFAULT",
                 *           "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    withdrawals: {
                        route_id: string;
                        /** @description The quantity that arrives */
                        quantity: string;
                        /** @enum {string} */
                        speed_level: "SLOW" | "DEFAULT" | "FAST";
                        note?: string;
                        /** @description What the payment is for: shown to the customer, and sent where the protocol has room */
                        purpose?: string;
                        /** @description The customer account to debit; the quantity is blocked on it */
                        account_id?: string;
                        /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                        third_party?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            /** @description The same for all requests prepared together */
                            prepare_id: string;
                            /** @description Until then it can be submitted, and its quantities are blocked */
                            expires_at: number;
                            source_wallet_id: string;
                            /** @description Null when one transaction pays several destinations: its stakes name them */
                            destination_wallet_id: string | null;
                            asset: string;
                            protocol: string;
                            /** @enum {string} */
                            speed_level: "SLOW" | "DEFAULT" | "FAST";
                            /** @description The sum of its payments: what one transaction sends */
                            quantity: string;
                            /** @description Of the transaction */
                            fee_estimate: string;
                            fee_asset: string;
                            /** @description Several payments go together in one transaction */
                            bundled: boolean;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_batch_submit: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "withdrawals": [
                 *         {
                 *           "id": "01a1fc75-ea2a-7589-aa8f-000000000018",
                 *           "prepare_id": "01a1fc75-ea2a-7589-aa8f-000000000011",
                 *           "expires_at": 1772530200000,
                 *           "source_wallet_id": "01a1fc75-ea2a-7589-aa8f-000000000004",
                 *           "destination_wallet_id": "01a1fc75-ea2a-7589-aa8f-000000000005",
                 *           "asset": "BTC",
                 *           "protocol": "BTC",
                 *           "speed_level": "DEFAULT",
                 *           "quantity": "0.25",
                 *           "fee_estimate": "0.00004",
                 *           "fee_asset": "BTC",
                 *           "bundled": false,
                 *           "stakes": [
                 *             {
                 *               "route_id": "01a1fc75-ea2a-7589-aa8f-000000000006",
                 *               "destination": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                 *               "quantity": "0.25",
                 *               "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001",
                 *               "note": null
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    withdrawals: {
                        id: string;
                        /** @description The same for all requests prepared together */
                        prepare_id: string;
                        /** @description Until then it can be submitted, and its quantities are blocked */
                        expires_at: number;
                        source_wallet_id: string;
                        /** @description Null when one transaction pays several destinations: its stakes name them */
                        destination_wallet_id: string | null;
                        asset: string;
                        protocol: string;
                        /** @enum {string} */
                        speed_level: "SLOW" | "DEFAULT" | "FAST";
                        /** @description The sum of its payments: what one transaction sends */
                        quantity: string;
                        /** @description Of the transaction */
                        fee_estimate: string;
                        fee_asset: string;
                        /** @description Several payments go together in one transaction */
                        bundled: boolean;
                        stakes: {
                            route_id: string;
                            /** @description The destination address */
                            destination: string;
                            quantity: string;
                            account_id: string | null;
                            note: string | null;
                            purpose?: string;
                            /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                            third_party?: boolean;
                        }[];
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "PENDING_REVIEW" | "UNKNOWN" | "SUCCESS" | "FAILED" | "REJECTED" | "CANCELED";
                            /** @description The venue's own term */
                            sub_state: string | null;
                            reason_code: string | null;
                            reason: string | null;
                            /** @enum {string} */
                            origin: "MANUAL" | "BATCH" | "JOB" | "SETTLEMENT" | "RETURN" | "EXTERNAL";
                            route_id: string | null;
                            /** @description Null for an EXTERNAL one that left no wallet of ours */
                            from_wallet_id: string | null;
                            to_wallet_id: string | null;
                            service_id: string;
                            venue_id: string;
                            asset: string;
                            protocol: string;
                            /** @description What arrives */
                            quantity: string;
                            /** @description What of it stays ours: no account owns it, and it goes to a wallet of ours. The rest of a payment that makes both is of accounts */
                            transfer_quantity: string;
                            /** @description The fee that the venue took; of a shared transaction a part. Null while it is not known */
                            fee: string | null;
                            fee_asset: string | null;
                            /** @description The fee that was expected when the withdrawal was made */
                            fee_estimate: string | null;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            destination_address: string;
                            /** @description The payee's name, where the payment has one */
                            recipient_name: string | null;
                            tag: string | null;
                            reference_text: string | null;
                            note: string | null;
                            /** @description What the payment is for */
                            purpose: string | null;
                            /** @description Whether it may go to the wallet of a customer who does not pay */
                            third_party: boolean;
                            /** @description It has left, and not all of it is assigned to accounts */
                            unassigned: boolean;
                            /** @description The account given with the request; of several payments the account that owns all of them */
                            account_id: string | null;
                            stakes: {
                                route_id: string;
                                /** @description The destination address */
                                destination: string;
                                quantity: string;
                                account_id: string | null;
                                note: string | null;
                                purpose?: string;
                                /** @description True: the wallet that it goes to may belong to another customer than who pays. Needs the permission treasury.withdrawals.third_party */
                                third_party?: boolean;
                            }[] | null;
                            /** @description The transfer job that asked for it */
                            job_id: string | null;
                            /** @description The run of that job */
                            job_run_id: string | null;
                            /** @description The settlement it pays a part of */
                            settlement_id: string | null;
                            /** @description The withdrawal that had ended here before this one left */
                            related_withdrawal_id: string | null;
                            /** @description The deposit that it returns to its sender */
                            returns_deposit_id: string | null;
                            /** @description Our reference, sent to the venue; withdrawals with the same one share a transaction */
                            external_id: string;
                            /** @description The venue's reference */
                            foreign_id: string | null;
                            transaction_hash: string | null;
                            /** @description Transactions that lost their place to this one, or never got it, oldest first */
                            former_transactions: {
                                /** @description The venue's reference */
                                foreign_id: string;
                                transaction_hash: string;
                            }[];
                            confirmations: number | null;
                            /** @description The day on which the bank is expected to execute it, in the zone of the bank: as of the request, and from sending on as the bank is asked. Null where nothing goes by the day */
                            execution_date: string | null;
                            /** @description The bank's value date; null where the venue names none */
                            value_date: string | null;
                            /** @description When sending began; from then on the request may have left */
                            submitted_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            /** @description Who entered the outcome by hand */
                            resolved_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            resolved_at: number | null;
                            /** @description The evidence for the outcome */
                            evidence: string | null;
                            /** @description What the bank found last about the payee's name: a code of ISO 20022 like RVNM */
                            payee_check: string | null;
                            /** @description The name that the bank gives for the account, where it almost matches */
                            payee_name: string | null;
                            /**
                             * @description What is to be done with it at the bank that holds it
                             * @enum {string|null}
                             */
                            review_decision: "RELEASE" | "WITHDRAW" | null;
                            /** @description Why it was decided so */
                            review_reason: string | null;
                            /** @description Who decided */
                            review_decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            review_decided_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_assignments: {
        parameters: {
            query?: {
                /** @description comma list of PENDING, REJECTED, SUCCESSFUL */
                state?: string;
                /** @description comma list of DEPOSIT, WITHDRAWAL */
                of?: string;
                account_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string | null;
                            withdrawal_id: string | null;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_deposits_by_deposit_id_assignments: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_deposits_by_deposit_id_assignments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "quantity": "1250.5",
                 *         "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001"
                 *       }
                 *     ]
                 */
                "application/json": {
                    /** @description The part of the movement that is assigned */
                    quantity: string;
                    /** @description A customer's account, or one of type INCOME, EXPENSE or HOUSE */
                    account_id: string;
                }[];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        } | {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_treasury_deposits_by_deposit_id_assignments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000010",
                 *       "status": "SUCCESSFUL"
                 *     }
                 */
                "application/json": {
                    /** @description The assignment */
                    id: string;
                    /** @enum {string} */
                    status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** DepositAssignment */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_account_by_account_id_deposits_assignments: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_withdrawals_by_withdrawal_id_assignments: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_by_withdrawal_id_assignments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "quantity": "1250.5",
                 *         "account_id": "01a1fc75-ea2a-7589-aa8f-000000000001"
                 *       }
                 *     ]
                 */
                "application/json": {
                    /** @description The part of the movement that is assigned */
                    quantity: string;
                    /** @description A customer's account, or one of type INCOME, EXPENSE or HOUSE */
                    account_id: string;
                    /** @description True: the withdrawal may have gone to another customer's wallet. Needs the permission treasury.withdrawals.third_party */
                    third_party?: boolean;
                }[];
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        } | {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_treasury_withdrawals_by_withdrawal_id_assignments: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000010",
                 *       "status": "SUCCESSFUL"
                 *     }
                 */
                "application/json": {
                    /** @description The assignment */
                    id: string;
                    /** @enum {string} */
                    status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** WithdrawalAssignment */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_account_by_account_id_withdrawals_assignments: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            account_id: string;
                            /** @description Null for an account of the house */
                            customer_id: string | null;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                            /** @enum {string} */
                            source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                            matching_id: string | null;
                            rectification_id: string | null;
                            decided_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            decided_at: number | null;
                            /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                            booked_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_deposits_by_deposit_id_rectifications: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            /** @enum {string} */
                            state: "BOOKED";
                            /** @enum {string} */
                            reason: "WRONG_ACCOUNT" | "WRONG_QUANTITY" | "DUPLICATE" | "MATCHING_ERROR" | "CUSTOMER_REQUEST" | "COMPLIANCE" | "FRAUD" | "RETURNED" | "TECHNICAL_ERROR" | "OTHER";
                            note: string | null;
                            /** @description The reversed assignments; they keep their status and name this rectification */
                            origins: string[];
                            /** @description The new assignments */
                            targets: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                deposit_id: string;
                                account_id: string;
                                /** @description Null for an account of the house */
                                customer_id: string | null;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                                /** @enum {string} */
                                source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                                matching_id: string | null;
                                rectification_id: string | null;
                                decided_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                decided_at: number | null;
                                /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                                booked_at: number | null;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_deposits_by_deposit_id_rectifications: {
        parameters: {
            query?: {
                dry_run?: "true" | "false";
            };
            header?: never;
            path: {
                deposit_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "WRONG_ACCOUNT",
                 *       "origins": [
                 *         "01a1fc75-ea2a-7589-aa8f-000000000010"
                 *       ],
                 *       "targets": [
                 *         {
                 *           "quantity": "1250.5",
                 *           "account_id": "01a1fc75-ea2a-7589-aa8f-000000000019"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    reason: "WRONG_ACCOUNT" | "WRONG_QUANTITY" | "DUPLICATE" | "MATCHING_ERROR" | "CUSTOMER_REQUEST" | "COMPLIANCE" | "FRAUD" | "RETURNED" | "TECHNICAL_ERROR" | "OTHER";
                    /** @description Mandatory with reason OTHER */
                    note?: string;
                    origins: string[];
                    /** CreateAssignments */
                    targets: {
                        /** @description The part of the movement that is assigned */
                        quantity: string;
                        /** @description A customer's account, or one of type INCOME, EXPENSE or HOUSE */
                        account_id: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            deposit_id: string;
                            /** @enum {string} */
                            state: "BOOKED";
                            /** @enum {string} */
                            reason: "WRONG_ACCOUNT" | "WRONG_QUANTITY" | "DUPLICATE" | "MATCHING_ERROR" | "CUSTOMER_REQUEST" | "COMPLIANCE" | "FRAUD" | "RETURNED" | "TECHNICAL_ERROR" | "OTHER";
                            note: string | null;
                            /** @description The reversed assignments; they keep their status and name this rectification */
                            origins: string[];
                            /** @description The new assignments */
                            targets: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                deposit_id: string;
                                account_id: string;
                                /** @description Null for an account of the house */
                                customer_id: string | null;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                                /** @enum {string} */
                                source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                                matching_id: string | null;
                                rectification_id: string | null;
                                decided_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                decided_at: number | null;
                                /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                                booked_at: number | null;
                            }[];
                        } | {
                            /** @description Always true: nothing was changed */
                            dry_run: boolean;
                            bookings: {
                                /** @enum {string} */
                                type: "REVERSAL" | "RECTIFICATION";
                                asset: string;
                                legs: {
                                    account_id: string;
                                    account_label: string;
                                    /** @enum {string} */
                                    type: "DEBIT" | "CREDIT";
                                    quantity: string;
                                }[];
                                /** @description The reversed booking */
                                reverses_id: string | null;
                                description: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_withdrawals_by_withdrawal_id_rectifications: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            /** @enum {string} */
                            state: "BOOKED";
                            /** @enum {string} */
                            reason: "WRONG_ACCOUNT" | "WRONG_QUANTITY" | "DUPLICATE" | "MATCHING_ERROR" | "CUSTOMER_REQUEST" | "COMPLIANCE" | "FRAUD" | "RETURNED" | "TECHNICAL_ERROR" | "OTHER";
                            note: string | null;
                            /** @description The reversed assignments; they keep their status and name this rectification */
                            origins: string[];
                            /** @description The new assignments */
                            targets: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                withdrawal_id: string;
                                account_id: string;
                                /** @description Null for an account of the house */
                                customer_id: string | null;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                                /** @enum {string} */
                                source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                                matching_id: string | null;
                                rectification_id: string | null;
                                decided_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                decided_at: number | null;
                                /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                                booked_at: number | null;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_withdrawals_by_withdrawal_id_rectifications: {
        parameters: {
            query?: {
                dry_run?: "true" | "false";
            };
            header?: never;
            path: {
                withdrawal_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "WRONG_ACCOUNT",
                 *       "origins": [
                 *         "01a1fc75-ea2a-7589-aa8f-000000000010"
                 *       ],
                 *       "targets": [
                 *         {
                 *           "quantity": "1250.5",
                 *           "account_id": "01a1fc75-ea2a-7589-aa8f-000000000019"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    reason: "WRONG_ACCOUNT" | "WRONG_QUANTITY" | "DUPLICATE" | "MATCHING_ERROR" | "CUSTOMER_REQUEST" | "COMPLIANCE" | "FRAUD" | "RETURNED" | "TECHNICAL_ERROR" | "OTHER";
                    /** @description Mandatory with reason OTHER */
                    note?: string;
                    origins: string[];
                    /** CreateWithdrawalAssignments */
                    targets: {
                        /** @description The part of the movement that is assigned */
                        quantity: string;
                        /** @description A customer's account, or one of type INCOME, EXPENSE or HOUSE */
                        account_id: string;
                        /** @description True: the withdrawal may have gone to another customer's wallet. Needs the permission treasury.withdrawals.third_party */
                        third_party?: boolean;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            withdrawal_id: string;
                            /** @enum {string} */
                            state: "BOOKED";
                            /** @enum {string} */
                            reason: "WRONG_ACCOUNT" | "WRONG_QUANTITY" | "DUPLICATE" | "MATCHING_ERROR" | "CUSTOMER_REQUEST" | "COMPLIANCE" | "FRAUD" | "RETURNED" | "TECHNICAL_ERROR" | "OTHER";
                            note: string | null;
                            /** @description The reversed assignments; they keep their status and name this rectification */
                            origins: string[];
                            /** @description The new assignments */
                            targets: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                withdrawal_id: string;
                                account_id: string;
                                /** @description Null for an account of the house */
                                customer_id: string | null;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                status: "PENDING" | "REJECTED" | "SUCCESSFUL";
                                /** @enum {string} */
                                source: "MATCHING" | "ROUTE" | "MANUAL" | "RECTIFICATION";
                                matching_id: string | null;
                                rectification_id: string | null;
                                decided_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                decided_at: number | null;
                                /** @description When it was booked to the account: it is SUCCESSFUL and the movement final */
                                booked_at: number | null;
                            }[];
                        } | {
                            /** @description Always true: nothing was changed */
                            dry_run: boolean;
                            bookings: {
                                /** @enum {string} */
                                type: "REVERSAL" | "RECTIFICATION";
                                asset: string;
                                legs: {
                                    account_id: string;
                                    account_label: string;
                                    /** @enum {string} */
                                    type: "DEBIT" | "CREDIT";
                                    quantity: string;
                                }[];
                                /** @description The reversed booking */
                                reverses_id: string | null;
                                description: string;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_jobs: {
        parameters: {
            query?: {
                id?: string;
                /** @description comma list of ACTIVE, INACTIVE */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            route: string;
                            /** @enum {string} */
                            condition_type: "SWEEPING" | "PROVISION" | "CONDITIONAL";
                            active: boolean;
                            /**
                             * @description Minutes between two runs
                             * @enum {integer}
                             */
                            interval: 15 | 30 | 60 | 240 | 720 | 1440;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            fee: string | null;
                            min_quantity: string | null;
                            quantity: string | null;
                            /** @description SWEEPING and PROVISION: one item with target. CONDITIONAL: items with balance_side, predicate and quantity, all of which must hold */
                            conditions: {
                                /** @description SWEEPING: what stays at the source. PROVISION: what the destination is filled up to */
                                target?: string;
                                /**
                                 * @description CONDITIONAL: the source or the destination
                                 * @enum {string}
                                 */
                                balance_side?: "from" | "to";
                                /**
                                 * @description CONDITIONAL: strictly greater, strictly less
                                 * @enum {string}
                                 */
                                predicate?: "GT" | "LT";
                                /** @description CONDITIONAL: what the balance is compared with */
                                quantity?: string;
                            }[];
                            /** @description null: not active */
                            next_run_at: number | null;
                            last_run: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                job_id: string;
                                /** @description The scheduled time; missed runs are made up by one */
                                scheduled_at: number;
                                /** @description Unix milliseconds, UTC */
                                started_at: number;
                                /** @description Unix milliseconds, UTC */
                                finished_at: number;
                                asset: string;
                                /** @description What was free at the source; null: not measured */
                                balance_from: string | null;
                                /** @description Own withdrawals that the source's venue does not show yet, with their fees; the source is balance_from less this */
                                reserved: string | null;
                                /** @description Total at the destination; null: not measured or not known */
                                balance_to: string | null;
                                /** @description Own transfers in flight; the destination is balance_to plus this */
                                in_flight: string | null;
                                fee_estimate: string | null;
                                fee_asset: string | null;
                                /** @description What was sent, or would have been */
                                quantity: string | null;
                                /** @enum {string} */
                                state: "TRANSFERRED" | "SKIPPED" | "FAILED";
                                /** @enum {string|null} */
                                reason: "BALANCE_NOT_DUE" | "BELOW_MIN_QUANTITY" | "CONDITION_NOT_MET" | "INSUFFICIENT_SOURCE" | "INSUFFICIENT_FEE_ASSET" | "FEE_EXCEEDS_QUANTITY" | "FEE_TOO_HIGH" | "BELOW_VENUE_MINIMUM" | "ABOVE_VENUE_MAXIMUM" | "NOT_ALLOWLISTED" | "VENUE_UNAVAILABLE" | "IN_FLIGHT_UNKNOWN" | "HALTED" | "REFUSED" | null;
                                /** @description The figures in words */
                                explanation: string;
                                withdrawal_id: string | null;
                            } | null;
                            warnings: {
                                /**
                                 * @description BACK_AND_FORTH: other jobs move the money back. SHARED_SOURCE: other jobs move money out of the same wallet
                                 * @enum {string}
                                 */
                                code: "BACK_AND_FORTH" | "SHARED_SOURCE";
                                message: string;
                                /** @description The other jobs; the first few */
                                job_ids: string[];
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_treasury_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000009",
                 *       "route": "01a1fc75-ea2a-7589-aa8f-000000000006",
                 *       "condition_type": "SWEEPING",
                 *       "active": false,
                 *       "interval": 60,
                 *       "speed_level": "DEFAULT",
                 *       "min_quantity": "0.1",
                 *       "conditions": [
                 *         {
                 *           "target": "2"
                 *         }
                 *       ],
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    id: string;
                    /** @description The treasury route the money takes */
                    route: string;
                    /** @enum {string} */
                    condition_type: "SWEEPING" | "PROVISION" | "CONDITIONAL";
                    /** @description An active job runs at once when it is created or activated, then every interval */
                    active: boolean;
                    /**
                     * @description Minutes between two runs
                     * @enum {integer}
                     */
                    interval: 15 | 30 | 60 | 240 | 720 | 1440;
                    /** @enum {string} */
                    speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                    /** @description With speed_level CUSTOM, and required there; else 0 or absent */
                    fee?: string;
                    /** @description SWEEPING and PROVISION: less is not moved; 0 where absent. CONDITIONAL: at most quantity */
                    min_quantity?: string;
                    /** @description CONDITIONAL, and required there: what is moved; else 0 or absent */
                    quantity?: string;
                    /** @description SWEEPING and PROVISION: one item with target. CONDITIONAL: items with balance_side, predicate and quantity, all of which must hold */
                    conditions: {
                        /** @description SWEEPING: what stays at the source. PROVISION: what the destination is filled up to */
                        target?: string;
                        /**
                         * @description CONDITIONAL: the source or the destination
                         * @enum {string}
                         */
                        balance_side?: "from" | "to";
                        /**
                         * @description CONDITIONAL: strictly greater, strictly less
                         * @enum {string}
                         */
                        predicate?: "GT" | "LT";
                        /** @description CONDITIONAL: what the balance is compared with */
                        quantity?: string;
                    }[];
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TransferJob */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            route: string;
                            /** @enum {string} */
                            condition_type: "SWEEPING" | "PROVISION" | "CONDITIONAL";
                            active: boolean;
                            /**
                             * @description Minutes between two runs
                             * @enum {integer}
                             */
                            interval: 15 | 30 | 60 | 240 | 720 | 1440;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            fee: string | null;
                            min_quantity: string | null;
                            quantity: string | null;
                            /** @description SWEEPING and PROVISION: one item with target. CONDITIONAL: items with balance_side, predicate and quantity, all of which must hold */
                            conditions: {
                                /** @description SWEEPING: what stays at the source. PROVISION: what the destination is filled up to */
                                target?: string;
                                /**
                                 * @description CONDITIONAL: the source or the destination
                                 * @enum {string}
                                 */
                                balance_side?: "from" | "to";
                                /**
                                 * @description CONDITIONAL: strictly greater, strictly less
                                 * @enum {string}
                                 */
                                predicate?: "GT" | "LT";
                                /** @description CONDITIONAL: what the balance is compared with */
                                quantity?: string;
                            }[];
                            /** @description null: not active */
                            next_run_at: number | null;
                            last_run: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                job_id: string;
                                /** @description The scheduled time; missed runs are made up by one */
                                scheduled_at: number;
                                /** @description Unix milliseconds, UTC */
                                started_at: number;
                                /** @description Unix milliseconds, UTC */
                                finished_at: number;
                                asset: string;
                                /** @description What was free at the source; null: not measured */
                                balance_from: string | null;
                                /** @description Own withdrawals that the source's venue does not show yet, with their fees; the source is balance_from less this */
                                reserved: string | null;
                                /** @description Total at the destination; null: not measured or not known */
                                balance_to: string | null;
                                /** @description Own transfers in flight; the destination is balance_to plus this */
                                in_flight: string | null;
                                fee_estimate: string | null;
                                fee_asset: string | null;
                                /** @description What was sent, or would have been */
                                quantity: string | null;
                                /** @enum {string} */
                                state: "TRANSFERRED" | "SKIPPED" | "FAILED";
                                /** @enum {string|null} */
                                reason: "BALANCE_NOT_DUE" | "BELOW_MIN_QUANTITY" | "CONDITION_NOT_MET" | "INSUFFICIENT_SOURCE" | "INSUFFICIENT_FEE_ASSET" | "FEE_EXCEEDS_QUANTITY" | "FEE_TOO_HIGH" | "BELOW_VENUE_MINIMUM" | "ABOVE_VENUE_MAXIMUM" | "NOT_ALLOWLISTED" | "VENUE_UNAVAILABLE" | "IN_FLIGHT_UNKNOWN" | "HALTED" | "REFUSED" | null;
                                /** @description The figures in words */
                                explanation: string;
                                withdrawal_id: string | null;
                            } | null;
                            warnings: {
                                /**
                                 * @description BACK_AND_FORTH: other jobs move the money back. SHARED_SOURCE: other jobs move money out of the same wallet
                                 * @enum {string}
                                 */
                                code: "BACK_AND_FORTH" | "SHARED_SOURCE";
                                message: string;
                                /** @description The other jobs; the first few */
                                job_ids: string[];
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "route": "01a1fc75-ea2a-7589-aa8f-000000000006",
                 *       "condition_type": "SWEEPING",
                 *       "active": true,
                 *       "interval": 60,
                 *       "speed_level": "DEFAULT",
                 *       "min_quantity": "0.1",
                 *       "conditions": [
                 *         {
                 *           "target": "2"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description The treasury route the money takes */
                    route: string;
                    /** @enum {string} */
                    condition_type: "SWEEPING" | "PROVISION" | "CONDITIONAL";
                    /** @description An active job runs at once when it is created or activated, then every interval */
                    active: boolean;
                    /**
                     * @description Minutes between two runs
                     * @enum {integer}
                     */
                    interval: 15 | 30 | 60 | 240 | 720 | 1440;
                    /** @enum {string} */
                    speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                    /** @description With speed_level CUSTOM, and required there; else 0 or absent */
                    fee?: string;
                    /** @description SWEEPING and PROVISION: less is not moved; 0 where absent. CONDITIONAL: at most quantity */
                    min_quantity?: string;
                    /** @description CONDITIONAL, and required there: what is moved; else 0 or absent */
                    quantity?: string;
                    /** @description SWEEPING and PROVISION: one item with target. CONDITIONAL: items with balance_side, predicate and quantity, all of which must hold */
                    conditions: {
                        /** @description SWEEPING: what stays at the source. PROVISION: what the destination is filled up to */
                        target?: string;
                        /**
                         * @description CONDITIONAL: the source or the destination
                         * @enum {string}
                         */
                        balance_side?: "from" | "to";
                        /**
                         * @description CONDITIONAL: strictly greater, strictly less
                         * @enum {string}
                         */
                        predicate?: "GT" | "LT";
                        /** @description CONDITIONAL: what the balance is compared with */
                        quantity?: string;
                    }[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** TransferJob */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            route: string;
                            /** @enum {string} */
                            condition_type: "SWEEPING" | "PROVISION" | "CONDITIONAL";
                            active: boolean;
                            /**
                             * @description Minutes between two runs
                             * @enum {integer}
                             */
                            interval: 15 | 30 | 60 | 240 | 720 | 1440;
                            /** @enum {string} */
                            speed_level: "DEFAULT" | "FAST" | "SLOW" | "CUSTOM";
                            fee: string | null;
                            min_quantity: string | null;
                            quantity: string | null;
                            /** @description SWEEPING and PROVISION: one item with target. CONDITIONAL: items with balance_side, predicate and quantity, all of which must hold */
                            conditions: {
                                /** @description SWEEPING: what stays at the source. PROVISION: what the destination is filled up to */
                                target?: string;
                                /**
                                 * @description CONDITIONAL: the source or the destination
                                 * @enum {string}
                                 */
                                balance_side?: "from" | "to";
                                /**
                                 * @description CONDITIONAL: strictly greater, strictly less
                                 * @enum {string}
                                 */
                                predicate?: "GT" | "LT";
                                /** @description CONDITIONAL: what the balance is compared with */
                                quantity?: string;
                            }[];
                            /** @description null: not active */
                            next_run_at: number | null;
                            last_run: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                job_id: string;
                                /** @description The scheduled time; missed runs are made up by one */
                                scheduled_at: number;
                                /** @description Unix milliseconds, UTC */
                                started_at: number;
                                /** @description Unix milliseconds, UTC */
                                finished_at: number;
                                asset: string;
                                /** @description What was free at the source; null: not measured */
                                balance_from: string | null;
                                /** @description Own withdrawals that the source's venue does not show yet, with their fees; the source is balance_from less this */
                                reserved: string | null;
                                /** @description Total at the destination; null: not measured or not known */
                                balance_to: string | null;
                                /** @description Own transfers in flight; the destination is balance_to plus this */
                                in_flight: string | null;
                                fee_estimate: string | null;
                                fee_asset: string | null;
                                /** @description What was sent, or would have been */
                                quantity: string | null;
                                /** @enum {string} */
                                state: "TRANSFERRED" | "SKIPPED" | "FAILED";
                                /** @enum {string|null} */
                                reason: "BALANCE_NOT_DUE" | "BELOW_MIN_QUANTITY" | "CONDITION_NOT_MET" | "INSUFFICIENT_SOURCE" | "INSUFFICIENT_FEE_ASSET" | "FEE_EXCEEDS_QUANTITY" | "FEE_TOO_HIGH" | "BELOW_VENUE_MINIMUM" | "ABOVE_VENUE_MAXIMUM" | "NOT_ALLOWLISTED" | "VENUE_UNAVAILABLE" | "IN_FLIGHT_UNKNOWN" | "HALTED" | "REFUSED" | null;
                                /** @description The figures in words */
                                explanation: string;
                                withdrawal_id: string | null;
                            } | null;
                            warnings: {
                                /**
                                 * @description BACK_AND_FORTH: other jobs move the money back. SHARED_SOURCE: other jobs move money out of the same wallet
                                 * @enum {string}
                                 */
                                code: "BACK_AND_FORTH" | "SHARED_SOURCE";
                                message: string;
                                /** @description The other jobs; the first few */
                                job_ids: string[];
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_treasury_jobs_by_job_id_runs: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            job_id: string;
                            /** @description The scheduled time; missed runs are made up by one */
                            scheduled_at: number;
                            /** @description Unix milliseconds, UTC */
                            started_at: number;
                            /** @description Unix milliseconds, UTC */
                            finished_at: number;
                            asset: string;
                            /** @description What was free at the source; null: not measured */
                            balance_from: string | null;
                            /** @description Own withdrawals that the source's venue does not show yet, with their fees; the source is balance_from less this */
                            reserved: string | null;
                            /** @description Total at the destination; null: not measured or not known */
                            balance_to: string | null;
                            /** @description Own transfers in flight; the destination is balance_to plus this */
                            in_flight: string | null;
                            fee_estimate: string | null;
                            fee_asset: string | null;
                            /** @description What was sent, or would have been */
                            quantity: string | null;
                            /** @enum {string} */
                            state: "TRANSFERRED" | "SKIPPED" | "FAILED";
                            /** @enum {string|null} */
                            reason: "BALANCE_NOT_DUE" | "BELOW_MIN_QUANTITY" | "CONDITION_NOT_MET" | "INSUFFICIENT_SOURCE" | "INSUFFICIENT_FEE_ASSET" | "FEE_EXCEEDS_QUANTITY" | "FEE_TOO_HIGH" | "BELOW_VENUE_MINIMUM" | "ABOVE_VENUE_MAXIMUM" | "NOT_ALLOWLISTED" | "VENUE_UNAVAILABLE" | "IN_FLIGHT_UNKNOWN" | "HALTED" | "REFUSED" | null;
                            /** @description The figures in words */
                            explanation: string;
                            withdrawal_id: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_treasury_jobs_by_job_id_dry_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /**
                         * JobDryRun
                         * @description What a run would record now
                         */
                        data: {
                            job_id: string;
                            asset: string;
                            /** @description What was free at the source; null: not measured */
                            balance_from: string | null;
                            /** @description Own withdrawals that the source's venue does not show yet, with their fees; the source is balance_from less this */
                            reserved: string | null;
                            /** @description Total at the destination; null: not measured or not known */
                            balance_to: string | null;
                            /** @description Own transfers in flight; the destination is balance_to plus this */
                            in_flight: string | null;
                            fee_estimate: string | null;
                            fee_asset: string | null;
                            /** @description What was sent, or would have been */
                            quantity: string | null;
                            /** @enum {string} */
                            state: "TRANSFERRED" | "SKIPPED" | "FAILED";
                            /** @enum {string|null} */
                            reason: "BALANCE_NOT_DUE" | "BELOW_MIN_QUANTITY" | "CONDITION_NOT_MET" | "INSUFFICIENT_SOURCE" | "INSUFFICIENT_FEE_ASSET" | "FEE_EXCEEDS_QUANTITY" | "FEE_TOO_HIGH" | "BELOW_VENUE_MINIMUM" | "ABOVE_VENUE_MAXIMUM" | "NOT_ALLOWLISTED" | "VENUE_UNAVAILABLE" | "IN_FLIGHT_UNKNOWN" | "HALTED" | "REFUSED" | null;
                            /** @description The figures in words */
                            explanation: string;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_price_stream_routes: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            label: string;
                            /** @description Base and quote asset, e.g. BTC/EUR */
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @description Margin factor by customer category; a category that is absent has the workspace's */
                            margin: {
                                [key: string]: string;
                            };
                            /** @description Of the expected shortfall, between 0 and 1, e.g. 0.99 */
                            risk_quantile: string;
                            active: boolean;
                            /** @description In the base asset */
                            min_amount: string;
                            /** @description In the base asset */
                            max_amount: string;
                            amount_step: string;
                            price_step: string;
                            hops: {
                                hop_no: number;
                                venue_id: string;
                                /** @description The TOMS service the order goes to */
                                service_id: string;
                                base_asset: string;
                                quote_asset: string;
                            }[];
                            /**
                             * @description UP: prices are fresh; STALE: too old to trade on; DOWN: no prices
                             * @enum {string}
                             */
                            state: "UP" | "STALE" | "DOWN";
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_price_stream_routes_by_route_id_history: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                route_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description End of the ten seconds */
                            at: number;
                            /** @description The middle of bid and ask in the quote asset */
                            price: string;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_price_stream_quotes: {
        parameters: {
            query?: {
                /** @description comma list of ACTIVE, ACCEPTED, EXPIRED, CANCELED */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "ACTIVE" | "ACCEPTED" | "EXPIRED" | "CANCELED";
                            route_id: string;
                            symbol: string;
                            customer_id: string;
                            /** @description Executed at its price until it expires, whatever the market does */
                            firm: boolean;
                            request_asset: string;
                            request_quantity: string;
                            /** @enum {string|null} */
                            request_side: "BUY" | "SELL" | null;
                            /** @enum {string|null} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET" | null;
                            risk_duration_ms: number;
                            /** @description Factor */
                            margin: string;
                            /** @description Factor */
                            risk: string;
                            /**
                             * @description NONE: no hold time; OBSERVED: from the moves of the last two hours; CONFIGURED: too little data for that
                             * @enum {string}
                             */
                            risk_source: "NONE" | "OBSERVED" | "CONFIGURED";
                            /** @description Unix milliseconds, UTC */
                            created_at: number;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number;
                            buy: {
                                /** @description volume ÷ amount, for display */
                                price: string | null;
                                /** @description In the base asset */
                                amount: string;
                                /** @description What the customer pays or gets, in the quote asset */
                                volume: string;
                                /** @description The most that liquidity, guards and the route allow */
                                available_amount: string;
                                available_volume: string;
                                /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                complete: boolean;
                                /** @description What the venue would take, per unit of the base asset */
                                vwap: string | null;
                                /** @description Of the venue, part of the volume */
                                fee: string;
                                /** @description Part of the volume */
                                risk: string;
                                /** @description Part of the volume */
                                margin: string;
                            };
                            sell: {
                                /** @description volume ÷ amount, for display */
                                price: string | null;
                                /** @description In the base asset */
                                amount: string;
                                /** @description What the customer pays or gets, in the quote asset */
                                volume: string;
                                /** @description The most that liquidity, guards and the route allow */
                                available_amount: string;
                                available_volume: string;
                                /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                complete: boolean;
                                /** @description What the venue would take, per unit of the base asset */
                                vwap: string | null;
                                /** @description Of the venue, part of the volume */
                                fee: string;
                                /** @description Part of the volume */
                                risk: string;
                                /** @description Part of the volume */
                                margin: string;
                            };
                            execution_id: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_price_stream_quotes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "route_id": "01a1fc75-ea2a-7589-aa8f-000000000016",
                 *       "request_asset": "BTC",
                 *       "request_quantity": "0.01",
                 *       "risk_duration_ms": 10000,
                 *       "customer_id": "01a1fc75-ea2a-7589-aa8f-000000000002"
                 *     }
                 */
                "application/json": {
                    route_id: string;
                    /** @description The base or the quote asset of the route */
                    request_asset: string;
                    /** @description If it is larger than the liquidity, the quote is for the available quantity */
                    request_quantity: string;
                    /**
                     * @description A hint; both sides are quoted
                     * @enum {string}
                     */
                    request_side?: "BUY" | "SELL";
                    /**
                     * @description A hint
                     * @enum {string}
                     */
                    execution_type?: "MARKET" | "LIMIT" | "STOP_MARKET";
                    /**
                     * @description How long the price is held; 0: indicative
                     * @enum {integer}
                     */
                    risk_duration_ms: 0 | 10000 | 30000 | 60000;
                    customer_id: string;
                    /** @description Factor; overrides the route's */
                    margin?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Quote */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "ACTIVE" | "ACCEPTED" | "EXPIRED" | "CANCELED";
                            route_id: string;
                            symbol: string;
                            customer_id: string;
                            /** @description Executed at its price until it expires, whatever the market does */
                            firm: boolean;
                            request_asset: string;
                            request_quantity: string;
                            /** @enum {string|null} */
                            request_side: "BUY" | "SELL" | null;
                            /** @enum {string|null} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET" | null;
                            risk_duration_ms: number;
                            /** @description Factor */
                            margin: string;
                            /** @description Factor */
                            risk: string;
                            /**
                             * @description NONE: no hold time; OBSERVED: from the moves of the last two hours; CONFIGURED: too little data for that
                             * @enum {string}
                             */
                            risk_source: "NONE" | "OBSERVED" | "CONFIGURED";
                            /** @description Unix milliseconds, UTC */
                            created_at: number;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number;
                            buy: {
                                /** @description volume ÷ amount, for display */
                                price: string | null;
                                /** @description In the base asset */
                                amount: string;
                                /** @description What the customer pays or gets, in the quote asset */
                                volume: string;
                                /** @description The most that liquidity, guards and the route allow */
                                available_amount: string;
                                available_volume: string;
                                /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                complete: boolean;
                                /** @description What the venue would take, per unit of the base asset */
                                vwap: string | null;
                                /** @description Of the venue, part of the volume */
                                fee: string;
                                /** @description Part of the volume */
                                risk: string;
                                /** @description Part of the volume */
                                margin: string;
                            };
                            sell: {
                                /** @description volume ÷ amount, for display */
                                price: string | null;
                                /** @description In the base asset */
                                amount: string;
                                /** @description What the customer pays or gets, in the quote asset */
                                volume: string;
                                /** @description The most that liquidity, guards and the route allow */
                                available_amount: string;
                                available_volume: string;
                                /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                complete: boolean;
                                /** @description What the venue would take, per unit of the base asset */
                                vwap: string | null;
                                /** @description Of the venue, part of the volume */
                                fee: string;
                                /** @description Part of the volume */
                                risk: string;
                                /** @description Part of the volume */
                                margin: string;
                            };
                            execution_id: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_price_stream_quotes_by_quote_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                quote_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Quote */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "ACTIVE" | "ACCEPTED" | "EXPIRED" | "CANCELED";
                            route_id: string;
                            symbol: string;
                            customer_id: string;
                            /** @description Executed at its price until it expires, whatever the market does */
                            firm: boolean;
                            request_asset: string;
                            request_quantity: string;
                            /** @enum {string|null} */
                            request_side: "BUY" | "SELL" | null;
                            /** @enum {string|null} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET" | null;
                            risk_duration_ms: number;
                            /** @description Factor */
                            margin: string;
                            /** @description Factor */
                            risk: string;
                            /**
                             * @description NONE: no hold time; OBSERVED: from the moves of the last two hours; CONFIGURED: too little data for that
                             * @enum {string}
                             */
                            risk_source: "NONE" | "OBSERVED" | "CONFIGURED";
                            /** @description Unix milliseconds, UTC */
                            created_at: number;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number;
                            buy: {
                                /** @description volume ÷ amount, for display */
                                price: string | null;
                                /** @description In the base asset */
                                amount: string;
                                /** @description What the customer pays or gets, in the quote asset */
                                volume: string;
                                /** @description The most that liquidity, guards and the route allow */
                                available_amount: string;
                                available_volume: string;
                                /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                complete: boolean;
                                /** @description What the venue would take, per unit of the base asset */
                                vwap: string | null;
                                /** @description Of the venue, part of the volume */
                                fee: string;
                                /** @description Part of the volume */
                                risk: string;
                                /** @description Part of the volume */
                                margin: string;
                            };
                            sell: {
                                /** @description volume ÷ amount, for display */
                                price: string | null;
                                /** @description In the base asset */
                                amount: string;
                                /** @description What the customer pays or gets, in the quote asset */
                                volume: string;
                                /** @description The most that liquidity, guards and the route allow */
                                available_amount: string;
                                available_volume: string;
                                /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                complete: boolean;
                                /** @description What the venue would take, per unit of the base asset */
                                vwap: string | null;
                                /** @description Of the venue, part of the volume */
                                fee: string;
                                /** @description Part of the volume */
                                risk: string;
                                /** @description Part of the volume */
                                margin: string;
                            };
                            execution_id: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_executions: {
        parameters: {
            query?: {
                /** @description comma list of WAITING_FOR_TRIGGER, PROCESSING, CANCELING, UNKNOWN, DONE, CANCELED, EXPIRED, FAILED, REJECTED */
                state?: string;
                stuck?: "true" | "false";
                contradicted?: "true" | "false";
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                created_at_from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                created_at_to?: string;
                customer_id?: string;
                client_ref?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_executions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "route_id": "01a1fc75-ea2a-7589-aa8f-000000000016",
                 *       "amount": "0.01",
                 *       "side": "BUY",
                 *       "execution_type": "MARKET",
                 *       "customers": [
                 *         {
                 *           "customer_id": "01a1fc75-ea2a-7589-aa8f-000000000002"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    route_id?: string;
                    symbol?: string;
                    /** @description In the base asset */
                    amount?: string;
                    /** @description In the quote asset, for mode VOLUME */
                    volume?: string;
                    /** @enum {string} */
                    side: "BUY" | "SELL";
                    /** @enum {string} */
                    execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                    customers: {
                        customer_id: string;
                        /** @description The customer's part of the amount (mode VOLUME: of the volume); one may omit it and gets the rest */
                        quantity_absolute?: string;
                    }[];
                    /** @enum {string} */
                    mode?: "AMOUNT" | "VOLUME";
                    /** @description Factor */
                    risk?: string;
                    /** @description LIMIT: all-in, as in a quote; STOP_MARKET: the trigger, compared with the top of the book */
                    price?: string;
                    /** @enum {string} */
                    stop_order_condition?: "STOP_LOSS" | "TAKE_PROFIT";
                    /**
                     * @description For LIMIT and STOP_MARKET; GTC when absent
                     * @enum {string}
                     */
                    tif_mode?: "GTC" | "GTD" | "IOC" | "FOK";
                    /** @description For GTD: ISO 8601 or an integer read by its size */
                    expires_at?: number | string;
                    quote_id?: string;
                    /** @description Factor; overrides the route's */
                    margin?: string;
                    client_ref?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Execution */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_executions_by_execution_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Execution */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_executions_by_execution_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Execution */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_executions_by_execution_id_quote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ExecutionWithQuote */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                            quote: {
                                id: string;
                                workspace: string;
                                /** @description Unix milliseconds, UTC */
                                system_created_at: number;
                                system_created_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                system_updated_at: number;
                                system_updated_by: string | null;
                                /** @description Grows with each change */
                                version: number;
                                /** @enum {string} */
                                state: "ACTIVE" | "ACCEPTED" | "EXPIRED" | "CANCELED";
                                route_id: string;
                                symbol: string;
                                customer_id: string;
                                /** @description Executed at its price until it expires, whatever the market does */
                                firm: boolean;
                                request_asset: string;
                                request_quantity: string;
                                /** @enum {string|null} */
                                request_side: "BUY" | "SELL" | null;
                                /** @enum {string|null} */
                                execution_type: "MARKET" | "LIMIT" | "STOP_MARKET" | null;
                                risk_duration_ms: number;
                                /** @description Factor */
                                margin: string;
                                /** @description Factor */
                                risk: string;
                                /**
                                 * @description NONE: no hold time; OBSERVED: from the moves of the last two hours; CONFIGURED: too little data for that
                                 * @enum {string}
                                 */
                                risk_source: "NONE" | "OBSERVED" | "CONFIGURED";
                                /** @description Unix milliseconds, UTC */
                                created_at: number;
                                /** @description Unix milliseconds, UTC */
                                expires_at: number;
                                buy: {
                                    /** @description volume ÷ amount, for display */
                                    price: string | null;
                                    /** @description In the base asset */
                                    amount: string;
                                    /** @description What the customer pays or gets, in the quote asset */
                                    volume: string;
                                    /** @description The most that liquidity, guards and the route allow */
                                    available_amount: string;
                                    available_volume: string;
                                    /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                    complete: boolean;
                                    /** @description What the venue would take, per unit of the base asset */
                                    vwap: string | null;
                                    /** @description Of the venue, part of the volume */
                                    fee: string;
                                    /** @description Part of the volume */
                                    risk: string;
                                    /** @description Part of the volume */
                                    margin: string;
                                };
                                sell: {
                                    /** @description volume ÷ amount, for display */
                                    price: string | null;
                                    /** @description In the base asset */
                                    amount: string;
                                    /** @description What the customer pays or gets, in the quote asset */
                                    volume: string;
                                    /** @description The most that liquidity, guards and the route allow */
                                    available_amount: string;
                                    available_volume: string;
                                    /** @description All that was asked lies within liquidity, guards and the route's maximum */
                                    complete: boolean;
                                    /** @description What the venue would take, per unit of the base asset */
                                    vwap: string | null;
                                    /** @description Of the venue, part of the volume */
                                    fee: string;
                                    /** @description Part of the volume */
                                    risk: string;
                                    /** @description Part of the volume */
                                    margin: string;
                                };
                                execution_id: string | null;
                            } | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_executions_by_execution_id_orders: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            execution_id: string;
                            hop_no: number;
                            venue_id: string;
                            service_id: string;
                            symbol: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            type: "MARKET" | "LIMIT";
                            /** @enum {string} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK";
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            price: string | null;
                            /** @description In the base asset */
                            quantity: string;
                            /** @description Filled, in the quote asset */
                            volume: string;
                            filled_quantity: string;
                            average_price: string | null;
                            /** @enum {string} */
                            state: "PENDING_NEW" | "NEW" | "PARTIALLY_FILLED" | "PENDING_CANCEL" | "UNKNOWN" | "FILLED" | "CANCELED" | "REJECTED" | "EXPIRED";
                            /** @description Of an open order VENUE_UNREACHABLE: it waits for its venue, since system_updated_at */
                            reason_code: string | null;
                            reason: string | null;
                            /** @description Ours */
                            client_order_id: string;
                            /** @description The venue's */
                            foreign_id: string | null;
                            /** @description Unix milliseconds, UTC */
                            sent_at: number | null;
                            /** @description A person has entered its outcome */
                            resolved_at: number | null;
                            resolved_by: string | null;
                            /** @description By what the outcome was entered */
                            evidence: string | null;
                            /** @description The venue has reported what was entered */
                            confirmed_at: number | null;
                            /** @description What the venue reports instead of what was entered */
                            contradiction: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_executions_by_execution_id_orders_fills: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description null: an outside trade */
                            execution_id: string | null;
                            order_id: string | null;
                            hop_no: number | null;
                            service_id: string;
                            venue_id: string;
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            price: string;
                            /** @description In the base asset */
                            quantity: string;
                            /** @description In the quote asset, as the venue booked it */
                            volume: string;
                            fee: string;
                            fee_asset: string;
                            /** @enum {string} */
                            liquidity: "MAKER" | "TAKER" | "UNKNOWN";
                            /** @description The venue's trade id */
                            foreign_id: string;
                            /** @description Unix milliseconds, UTC */
                            executed_at: number;
                            /** @description A person entered it when they resolved the order */
                            entered_by: string | null;
                            /** @description The venue took the trade back */
                            busted: boolean;
                            /** @description The settlement that has claimed it */
                            settlement_id: string | null;
                            /**
                             * @description A prefunded venue settles with the fill
                             * @enum {string}
                             */
                            settlement_state: "UNSETTLED" | "IN_SETTLEMENT" | "SETTLED";
                            /** @description Busted: since then the nets of its settlement leave it out */
                            corrected_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_executions_by_execution_id_resolve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "state": "FILLED",
                 *       "evidence": "Mail of their desk of 3 March with the contract note",
                 *       "foreign_id": "OUF4EM-FRGI2-MQMWZD",
                 *       "fills": [
                 *         {
                 *           "foreign_id": "TCWJEG-FL4SZ-3FKGH6",
                 *           "price": "60000",
                 *           "quantity": "0.01",
                 *           "fee": "1.56"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": {
                    /**
                     * @description FILLED: the whole order; CANCELED: nothing more than the fills; NEVER_PLACED: the venue never got it
                     * @enum {string}
                     */
                    state: "FILLED" | "CANCELED" | "NEVER_PLACED";
                    /** @description The evidence: who confirmed it, the venue's statement, a contract note */
                    evidence: string;
                    /** @description The venue's reference of the order */
                    foreign_id?: string;
                    /** @description The trades of the order that are not booked yet */
                    fills?: {
                        /** @description The venue's trade id */
                        foreign_id: string;
                        /** @description In the quote asset */
                        price: string;
                        /** @description In the base asset */
                        quantity: string;
                        /** @description In the quote asset, as the venue booked it; price × quantity when absent */
                        volume?: string;
                        /** @description The fee that the venue took; below 0 for a rebate */
                        fee: string;
                        /** @description The quote asset when absent */
                        fee_asset?: string;
                        /** @description Unix milliseconds, UTC; when the order was sent if absent */
                        executed_at?: number;
                    }[];
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Execution */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_executions_by_execution_id_recheck: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                execution_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Execution */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "WAITING_FOR_TRIGGER" | "PROCESSING" | "CANCELING" | "UNKNOWN" | "DONE" | "CANCELED" | "EXPIRED" | "FAILED" | "REJECTED";
                            reason_code: string | null;
                            reason: string | null;
                            internal_ref: string;
                            route_id: string;
                            route: {
                                id: string;
                                label: string;
                                symbol: string;
                            };
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            /** @enum {string} */
                            execution_type: "MARKET" | "LIMIT" | "STOP_MARKET";
                            /** @enum {string} */
                            mode: "AMOUNT" | "VOLUME";
                            /** @description In the base asset; for mode VOLUME the amount at the prices of the request */
                            amount: string;
                            /** @description In the quote asset, for mode VOLUME */
                            volume: string | null;
                            /** @description LIMIT: all-in, per unit of the base asset; STOP_MARKET: the trigger */
                            price: string | null;
                            /** @enum {string|null} */
                            stop_order_condition: "STOP_LOSS" | "TAKE_PROFIT" | null;
                            /** @enum {string|null} */
                            tif_mode: "GTC" | "GTD" | "IOC" | "FOK" | null;
                            /** @description Unix milliseconds, UTC */
                            expires_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            triggered_at: number | null;
                            /** @description Factor, as requested */
                            risk: string | null;
                            /** @description Factor, as requested */
                            margin: string | null;
                            quote_id: string | null;
                            client_ref: string | null;
                            customers: {
                                customer_id: string;
                                /** @description As requested */
                                quantity_absolute: string | null;
                                filled_amount: string;
                                /** @description What the customer paid or got, in the quote asset */
                                filled_volume: string;
                                /** @description Factor applied */
                                margin: string;
                                /** @description Factor applied */
                                risk: string;
                            }[];
                            filled_amount: string;
                            /** @description The notional traded at the venue, in the quote asset */
                            filled_volume: string;
                            /** @description At the venue */
                            average_price: string | null;
                            /** @description All-in average price of the fills */
                            customer_price: string | null;
                            /** @description The customers' part of the venue's fee, in the quote asset */
                            fee: string;
                            /** @description Distance of the average price from the top of the book when it was ordered, as a factor; positive is worse */
                            slippage: string | null;
                            /** @description Since then somebody wishes to cancel it. In DONE: it was filled first */
                            cancel_requested_at: number | null;
                            cancel_requested_by: string | null;
                            /** @description Its venue reports something else than a person has entered */
                            contradicted: boolean;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                            best_execution: {
                                candidates: {
                                    route_id: string;
                                    /** @description What the customers would pay or get, in the quote asset */
                                    total: string | null;
                                    /** @description In the base asset */
                                    amount: string | null;
                                    /** @description The whole requested quantity */
                                    complete: boolean;
                                    /** @description Why it cannot be traded now */
                                    refused: string | null;
                                }[];
                                /** @description The route */
                                chosen: string;
                            } | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_toms_by_service_id_fills: {
        parameters: {
            query?: {
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                from?: string;
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                to?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                service_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description null: an outside trade */
                            execution_id: string | null;
                            order_id: string | null;
                            hop_no: number | null;
                            service_id: string;
                            venue_id: string;
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            price: string;
                            /** @description In the base asset */
                            quantity: string;
                            /** @description In the quote asset, as the venue booked it */
                            volume: string;
                            fee: string;
                            fee_asset: string;
                            /** @enum {string} */
                            liquidity: "MAKER" | "TAKER" | "UNKNOWN";
                            /** @description The venue's trade id */
                            foreign_id: string;
                            /** @description Unix milliseconds, UTC */
                            executed_at: number;
                            /** @description A person entered it when they resolved the order */
                            entered_by: string | null;
                            /** @description The venue took the trade back */
                            busted: boolean;
                            /** @description The settlement that has claimed it */
                            settlement_id: string | null;
                            /**
                             * @description A prefunded venue settles with the fill
                             * @enum {string}
                             */
                            settlement_state: "UNSETTLED" | "IN_SETTLEMENT" | "SETTLED";
                            /** @description Busted: since then the nets of its settlement leave it out */
                            corrected_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_settlements: {
        parameters: {
            query?: {
                /** @description comma list of PREPARING, READY, TRANSFERRING, PARTIALLY_SETTLED, SETTLED, FAILED, CANCELED */
                state?: string;
                unseen?: "true" | "false";
                uncorrected?: "true" | "false";
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "timerange_from": "2026-03-02T00:00:00Z",
                 *       "timerange_to": "2026-03-03T00:00:00Z"
                 *     }
                 */
                "application/json": {
                    /** @description From this time on, inclusive; an integer is read by its size (10 digits s, 13 ms, 16 µs, 19 ns), or ISO 8601 */
                    timerange_from: number | string;
                    /** @description Up to this time, exclusive; an integer is read by its size (10 digits s, 13 ms, 16 µs, 19 ns), or ISO 8601 */
                    timerange_to: number | string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_settlements_by_settlement_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_settlements_by_settlement_id_available_fills: {
        parameters: {
            query?: {
                venue_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description null: an outside trade */
                            execution_id: string | null;
                            order_id: string | null;
                            hop_no: number | null;
                            service_id: string;
                            venue_id: string;
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            price: string;
                            /** @description In the base asset */
                            quantity: string;
                            /** @description In the quote asset, as the venue booked it */
                            volume: string;
                            fee: string;
                            fee_asset: string;
                            /** @enum {string} */
                            liquidity: "MAKER" | "TAKER" | "UNKNOWN";
                            /** @description The venue's trade id */
                            foreign_id: string;
                            /** @description Unix milliseconds, UTC */
                            executed_at: number;
                            /** @description A person entered it when they resolved the order */
                            entered_by: string | null;
                            /** @description The venue took the trade back */
                            busted: boolean;
                            /** @description The settlement that has claimed it */
                            settlement_id: string | null;
                            /**
                             * @description A prefunded venue settles with the fill
                             * @enum {string}
                             */
                            settlement_state: "UNSETTLED" | "IN_SETTLEMENT" | "SETTLED";
                            /** @description Busted: since then the nets of its settlement leave it out */
                            corrected_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_settlements_fills_by_fill_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fill_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** ExecutionFill */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description null: an outside trade */
                            execution_id: string | null;
                            order_id: string | null;
                            hop_no: number | null;
                            service_id: string;
                            venue_id: string;
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            price: string;
                            /** @description In the base asset */
                            quantity: string;
                            /** @description In the quote asset, as the venue booked it */
                            volume: string;
                            fee: string;
                            fee_asset: string;
                            /** @enum {string} */
                            liquidity: "MAKER" | "TAKER" | "UNKNOWN";
                            /** @description The venue's trade id */
                            foreign_id: string;
                            /** @description Unix milliseconds, UTC */
                            executed_at: number;
                            /** @description A person entered it when they resolved the order */
                            entered_by: string | null;
                            /** @description The venue took the trade back */
                            busted: boolean;
                            /** @description The settlement that has claimed it */
                            settlement_id: string | null;
                            /**
                             * @description A prefunded venue settles with the fill
                             * @enum {string}
                             */
                            settlement_state: "UNSETTLED" | "IN_SETTLEMENT" | "SETTLED";
                            /** @description Busted: since then the nets of its settlement leave it out */
                            corrected_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_settlements_by_settlement_id_fills: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description null: an outside trade */
                            execution_id: string | null;
                            order_id: string | null;
                            hop_no: number | null;
                            service_id: string;
                            venue_id: string;
                            symbol: string;
                            base_asset: string;
                            quote_asset: string;
                            /** @enum {string} */
                            side: "BUY" | "SELL";
                            price: string;
                            /** @description In the base asset */
                            quantity: string;
                            /** @description In the quote asset, as the venue booked it */
                            volume: string;
                            fee: string;
                            fee_asset: string;
                            /** @enum {string} */
                            liquidity: "MAKER" | "TAKER" | "UNKNOWN";
                            /** @description The venue's trade id */
                            foreign_id: string;
                            /** @description Unix milliseconds, UTC */
                            executed_at: number;
                            /** @description A person entered it when they resolved the order */
                            entered_by: string | null;
                            /** @description The venue took the trade back */
                            busted: boolean;
                            /** @description The settlement that has claimed it */
                            settlement_id: string | null;
                            /**
                             * @description A prefunded venue settles with the fill
                             * @enum {string}
                             */
                            settlement_state: "UNSETTLED" | "IN_SETTLEMENT" | "SETTLED";
                            /** @description Busted: since then the nets of its settlement leave it out */
                            corrected_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    patch_settlements_by_settlement_id_fills: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "take": [
                 *         "01a1fc75-ea2a-7589-aa8f-000000000012"
                 *       ],
                 *       "leave": [
                 *         "01a1fc75-ea2a-7589-aa8f-000000000021"
                 *       ],
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description Fills to add */
                    take?: string[];
                    /** @description Fills to remove */
                    leave?: string[];
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_settlements_by_settlement_id_parts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            venue_id: string;
                            asset: string;
                            quantity: string;
                            /** @enum {string} */
                            direction: "INCOMING" | "OUTGOING";
                            /** @description The treasury route it takes; without one it can only be confirmed by hand */
                            route_id: string | null;
                            /** @enum {string} */
                            state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                            /** @description What pays an outgoing part */
                            withdrawal_id: string | null;
                            /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                            deposit_id: string | null;
                            /**
                             * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                             * @enum {string|null}
                             */
                            arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                            /** @description Why it has failed */
                            reason: string | null;
                            /** @description The evidence that it has moved */
                            note: string | null;
                            confirmed_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            initiated_at: number | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_settlements_by_settlement_id_parts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "parts": [
                 *         {
                 *           "venue_id": "01a1fc75-ea2a-7589-aa8f-000000000003",
                 *           "asset": "EUR",
                 *           "quantity": "64493.11",
                 *           "route_id": "01a1fc75-ea2a-7589-aa8f-000000000006"
                 *         }
                 *       ],
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    /** @description Together what each net comes to at the asset's scale; one part per net over its oldest route when absent; none: back to PREPARING */
                    parts?: {
                        venue_id: string;
                        asset: string;
                        quantity: string;
                        route_id?: string;
                    }[];
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements_by_settlement_id_net_again: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "version": 7
                 *     }
                 */
                "application/json": {
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements_by_settlement_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Wrong period"
                 *     }
                 */
                "application/json": {
                    /** @description Why */
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements_by_settlement_id_initiate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "part_ids": [
                 *         "01a1fc75-ea2a-7589-aa8f-000000000013"
                 *       ]
                 *     }
                 */
                "application/json": {
                    /** @description Only these; every part that can be when absent */
                    part_ids?: string[];
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements_by_settlement_id_parts_by_part_id_confirm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
                part_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "The venue wrote that it has arrived",
                 *       "deposit_id": "01a1fc75-ea2a-7589-aa8f-000000000014"
                 *     }
                 */
                "application/json": {
                    /** @description The evidence */
                    note: string;
                    /** @description INCOMING: the deposit it came as, which nobody is assigned yet */
                    deposit_id?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements_by_settlement_id_parts_by_part_id_arrival: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
                part_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "deposit_id": "01a1fc75-ea2a-7589-aa8f-000000000014",
                 *       "note": "Same amount and reference"
                 *     }
                 */
                "application/json": {
                    /** @description The deposit that it came as, which nobody is assigned yet; more or less than the part is allowed */
                    deposit_id: string;
                    /** @description The evidence */
                    note: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_settlements_by_settlement_id_parts_by_part_id_drop: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                settlement_id: string;
                part_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "The venue has set it off against its fees"
                 *     }
                 */
                "application/json": {
                    /** @description The evidence */
                    note: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Settlement */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PREPARING" | "READY" | "TRANSFERRING" | "PARTIALLY_SETTLED" | "SETTLED" | "FAILED" | "CANCELED";
                            /** @description Unix milliseconds, UTC */
                            timerange_from: number;
                            /** @description Unix milliseconds, UTC */
                            timerange_to: number;
                            /** @description The nets of its fills, per venue and asset */
                            nets: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                            }[];
                            /** @description Lines that took busted fills out of the nets after it was initiated */
                            corrections: {
                                venue_id: string;
                                asset: string;
                                /** @description Greater than zero */
                                quantity: string;
                                /**
                                 * @description INCOMING: the venue owes it to us
                                 * @enum {string}
                                 */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The busted fill */
                                fill_id: string;
                                /** @description Unix milliseconds, UTC */
                                corrected_at: number;
                                corrected_by: string;
                            }[];
                            /** @description Fills that were busted after it was initiated and are still in the nets: net it again */
                            uncorrected_fills: number;
                            parts: {
                                id: string;
                                venue_id: string;
                                asset: string;
                                quantity: string;
                                /** @enum {string} */
                                direction: "INCOMING" | "OUTGOING";
                                /** @description The treasury route it takes; without one it can only be confirmed by hand */
                                route_id: string | null;
                                /** @enum {string} */
                                state: "OPEN" | "INITIATED" | "SUCCESS" | "FAILED" | "CONFIRMED_MANUALLY";
                                /** @description What pays an outgoing part */
                                withdrawal_id: string | null;
                                /** @description The deposit of an incoming part, or of the arrival of an outgoing one */
                                deposit_id: string | null;
                                /**
                                 * @description Of the deposit of an incoming part that was initiated: waited for, also after a confirmation by hand; here; not waited for any more
                                 * @enum {string|null}
                                 */
                                arrival: "EXPECTED" | "ARRIVED" | "DROPPED" | null;
                                /** @description Why it has failed */
                                reason: string | null;
                                /** @description The evidence that it has moved */
                                note: string | null;
                                confirmed_by: string | null;
                                /** @description Unix milliseconds, UTC */
                                initiated_at: number | null;
                                /** @description Unix milliseconds, UTC */
                                completed_at: number | null;
                            }[];
                            /** @description Why it was canceled */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_overview: {
        parameters: {
            query?: {
                /** @description ISO 8601, or an integer: 10 digits are seconds, 13 ms, 16 µs, 19 ns */
                from?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Overview */
                        data: {
                            /** @description Unix milliseconds, UTC */
                            at: number;
                            /** @description The movements since then */
                            from: number;
                            assets: {
                                asset: string;
                                /** @description At venues, by the books */
                                held: string;
                                /** @description At venues, as each reported last; null when one of them does not report it */
                                held_by_venues: string | null;
                                /** @description To customers, all together */
                                owed: string;
                                /** @description Own transfers in flight between wallets */
                                transit: string;
                                /** @description Deposits that were seen and may still fail: not in the books yet */
                                pending_in: string;
                                /** @description Withdrawals of customers that have not ended: still in the books */
                                pending_out: string;
                                /** @description Arrived, or left, and nobody's yet */
                                unassigned: string;
                                /** @description Own funds */
                                house: string;
                                /** @description Unsettled trades: a positive amount is owed by us */
                                trading: string;
                                margin: string;
                                risk: string;
                                /** @description Costs of venues and networks */
                                fee: string;
                                rounding: string;
                                /** @description Income, by accounts that users opened */
                                income: string;
                                /** @description Expenses, by accounts that users opened */
                                expense: string;
                                /** @description Where it is held */
                                venues: {
                                    venue_id: string;
                                    label: string;
                                    /** @description By the books */
                                    held: string;
                                    /** @description As the venue reported last; null when it does not report it */
                                    reported: string | null;
                                    /** @description Unix milliseconds, UTC */
                                    reported_at: number | null;
                                }[];
                            }[] | null;
                            /** @description What a person must look at, also what there is none of just now; only what the caller may see */
                            needs: {
                                /** @enum {string} */
                                kind: "deposits_unassigned" | "deposits_in_review" | "deposits_gone_twice" | "deposit_assignments_pending" | "withdrawals_unassigned" | "suspense_unexplained" | "withdrawal_assignments_pending" | "withdrawals_unknown" | "withdrawals_in_review" | "withdrawals_stuck" | "book_transfers_waiting" | "executions_unknown" | "executions_contradicted" | "executions_stuck" | "executions_incomplete" | "stops_waiting_in_vain" | "jobs_failing" | "settlements_failed" | "settlements_uncorrected" | "settlements_waiting" | "settlements_unseen" | "settlements_left_over" | "breaks_open" | "records_set_aside" | "venues_stale" | "venues_unserved" | "halts_set" | "routes_refused" | "wallets_failed" | "webhooks_paused";
                                title: string;
                                count: number;
                                /** @description null when nothing needs attention */
                                oldest_at: number | null;
                                /** @description Of the oldest; 0 when there is none */
                                age_ms: number;
                                /** @description Some of them, and why, where that can be said in a sentence */
                                reasons: string[];
                                link: {
                                    /** @description The address of the list that shows them */
                                    list: string;
                                    /** @description Its query */
                                    filter: {
                                        [key: string]: string;
                                    };
                                };
                            }[];
                            movements: {
                                deposits: {
                                    asset: string;
                                    count: number;
                                    quantity: string;
                                }[] | null;
                                withdrawals: {
                                    asset: string;
                                    count: number;
                                    quantity: string;
                                }[] | null;
                                transfers: {
                                    asset: string;
                                    count: number;
                                    quantity: string;
                                }[] | null;
                                executions: {
                                    symbol: string;
                                    base_asset: string;
                                    quote_asset: string;
                                    /** @enum {string} */
                                    side: "BUY" | "SELL";
                                    count: number;
                                    /** @description Filled, of the base asset */
                                    amount: string;
                                    /** @description Filled, of the quote asset */
                                    volume: string;
                                }[] | null;
                            };
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_search: {
        parameters: {
            query?: {
                q?: string;
                /** @description 1 to 100 */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @enum {string} */
                            kind: "customer" | "account" | "deposit" | "withdrawal" | "set_aside_item" | "execution" | "quote" | "order" | "fill" | "settlement" | "booking" | "book_transfer" | "assignment" | "rectification" | "job" | "job_run" | "wallet" | "route" | "matching" | "price_route" | "venue" | "break" | "user";
                            id: string;
                            title: string;
                            subtitle: string | null;
                            state: string | null;
                            /** @description When it was created or happened */
                            at: number | null;
                            /** @description E.g. id, transaction_hash, reference_text, quantity */
                            matched_field: string;
                            /** @description What was found there, in the form in which it is searched */
                            matched_text: string;
                            /** @description The whole field, or its rest from a word on, equals the query */
                            exact: boolean;
                            parent: {
                                /** @description E.g. execution, for an order */
                                kind: string;
                                id: string;
                            } | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_timeline_by_kind_by_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                kind: "deposit" | "withdrawal" | "execution" | "settlement" | "job_run" | "assignment" | "book_transfer" | "customer";
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Timeline */
                        data: {
                            /** @enum {string} */
                            kind: "deposit" | "withdrawal" | "execution" | "settlement" | "job_run" | "assignment" | "book_transfer" | "customer";
                            id: string;
                            /** @description Oldest first. Steps of related records need the permission to see these records */
                            steps: {
                                /** @description Unix milliseconds, UTC */
                                at: number;
                                /** @description The event's type; quote.created, order.sent, execution.route_chosen and job.… come from the records; booking.created where there is only a booking */
                                type: string;
                                title: string;
                                /** @description The reason, if one was stored */
                                reason: string | null;
                                /** @description The user's id or the worker's name; null where none was stored */
                                by: string | null;
                                /** @description The user's name */
                                by_name: string | null;
                                resource: {
                                    /** @enum {string} */
                                    kind: "customer" | "account" | "deposit" | "withdrawal" | "set_aside_item" | "execution" | "quote" | "order" | "fill" | "settlement" | "booking" | "book_transfer" | "assignment" | "rectification" | "job" | "job_run" | "wallet" | "route" | "matching" | "price_route" | "venue" | "break" | "user";
                                    id: string;
                                };
                                /** @description Bookings of the same commit; none without bookings.read */
                                bookings: {
                                    id: string;
                                    sequence: number;
                                    /** @enum {string} */
                                    type: "OPENING" | "DEPOSIT" | "DEPOSIT_ASSIGNMENT" | "WITHDRAWAL" | "WITHDRAWAL_ASSIGNMENT" | "WITHDRAWAL_FEE" | "TRANSFER" | "TRANSFER_FEE" | "BOOK_TRANSFER" | "EXECUTION" | "TRADING_FEE" | "SETTLEMENT" | "RECTIFICATION" | "REVERSAL" | "ROUNDING" | "MANUAL";
                                    asset: string;
                                    legs: {
                                        account_id: string;
                                        account_label: string;
                                        /** @enum {string} */
                                        type: "DEBIT" | "CREDIT";
                                        quantity: string;
                                    }[];
                                }[];
                            }[];
                            /** @description There are earlier steps that are not shown */
                            truncated: boolean;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_desk_reconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description NOT_COMPARED: the figures are those of the last comparison, and none is made now
                             * @enum {string}
                             */
                            state: "BALANCED" | "CHECKING" | "BREAK" | "ACCEPTED" | "NOT_COMPARED";
                            not_compared: {
                                /** @description The open order that it waits for */
                                order_id: string;
                                reason: string;
                                /** @description At the latest; sooner when the order ends */
                                until: number;
                            } | null;
                            venue_id: string;
                            asset: string;
                            /** @description What the books say */
                            ledger: string;
                            /** @description What the venue holds */
                            venue: string;
                            /** @description The part of the difference that movements in flight explain */
                            on_the_way: string;
                            /** @description venue less ledger less on_the_way */
                            difference: string;
                            wallets: {
                                /** @description Where inside the venue; null where it has one pot, and for what was booked there in none of its wallets */
                                wallet: string | null;
                                /** @description What the venue holds */
                                total: string;
                                /** @description What the books say; this and what follows is null while they do not know this venue by wallet */
                                ledger: string | null;
                                on_the_way: string | null;
                                difference: string | null;
                                /** @enum {string|null} */
                                state: "BALANCED" | "CHECKING" | "BREAK" | "ACCEPTED" | null;
                                /** @description Unix milliseconds, UTC */
                                since: number | null;
                                break_id: string | null;
                            }[];
                            /** @description Since when exactly this difference is seen */
                            since: number;
                            /** @description The last time that neither side was moving */
                            compared_at: number;
                            /** @description The first open break of these wallets */
                            break_id: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_desk_reconciliation_run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /**
                             * @description NOT_COMPARED: the figures are those of the last comparison, and none is made now
                             * @enum {string}
                             */
                            state: "BALANCED" | "CHECKING" | "BREAK" | "ACCEPTED" | "NOT_COMPARED";
                            not_compared: {
                                /** @description The open order that it waits for */
                                order_id: string;
                                reason: string;
                                /** @description At the latest; sooner when the order ends */
                                until: number;
                            } | null;
                            venue_id: string;
                            asset: string;
                            /** @description What the books say */
                            ledger: string;
                            /** @description What the venue holds */
                            venue: string;
                            /** @description The part of the difference that movements in flight explain */
                            on_the_way: string;
                            /** @description venue less ledger less on_the_way */
                            difference: string;
                            wallets: {
                                /** @description Where inside the venue; null where it has one pot, and for what was booked there in none of its wallets */
                                wallet: string | null;
                                /** @description What the venue holds */
                                total: string;
                                /** @description What the books say; this and what follows is null while they do not know this venue by wallet */
                                ledger: string | null;
                                on_the_way: string | null;
                                difference: string | null;
                                /** @enum {string|null} */
                                state: "BALANCED" | "CHECKING" | "BREAK" | "ACCEPTED" | null;
                                /** @description Unix milliseconds, UTC */
                                since: number | null;
                                break_id: string | null;
                            }[];
                            /** @description Since when exactly this difference is seen */
                            since: number;
                            /** @description The last time that neither side was moving */
                            compared_at: number;
                            /** @description The first open break of these wallets */
                            break_id: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_desk_breaks: {
        parameters: {
            query?: {
                /** @description comma list of OPEN, CLOSED */
                state?: string;
                venue_id?: string;
                /** @description comma list of assets */
                asset?: string;
                /** @description comma list of OPENING, TIMING, FEE, UNMATCHED, UNKNOWN */
                cause?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "OPEN" | "CLOSED";
                            venue_id: string;
                            asset: string;
                            /** @description What the books say */
                            ledger: string;
                            /** @description What the venue holds */
                            venue: string;
                            /** @description The part of the difference that movements in flight explain */
                            on_the_way: string;
                            /** @description venue less ledger less on_the_way */
                            difference: string;
                            /** @description Where inside the venue; null where it has one pot, and for what was booked there in none of its wallets */
                            wallet: string | null;
                            /** @enum {string} */
                            cause: "OPENING" | "TIMING" | "FEE" | "UNMATCHED" | "UNKNOWN";
                            explanation: string;
                            /** @description The withdrawal, deposit, order or booking that the explanation names */
                            cause_resource_id: string | null;
                            /** @description Unix milliseconds, UTC */
                            first_seen_at: number;
                            /** @description Unix milliseconds, UTC */
                            last_seen_at: number;
                            /** @description From first_seen_at until now, or until it was closed */
                            age_ms: number;
                            /** @description Unix milliseconds, UTC */
                            closed_at: number | null;
                            closed_by: string | null;
                            /**
                             * @description RESOLVED: the difference has disappeared
                             * @enum {string|null}
                             */
                            closed_reason: "RESOLVED" | "BY_HAND" | null;
                            note: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_desk_breaks_by_break_id_close: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                break_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "A fee that the venue took in March"
                 *     }
                 */
                "application/json": {
                    /** @description Why it needs no further attention */
                    note: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Break */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "OPEN" | "CLOSED";
                            venue_id: string;
                            asset: string;
                            /** @description What the books say */
                            ledger: string;
                            /** @description What the venue holds */
                            venue: string;
                            /** @description The part of the difference that movements in flight explain */
                            on_the_way: string;
                            /** @description venue less ledger less on_the_way */
                            difference: string;
                            /** @description Where inside the venue; null where it has one pot, and for what was booked there in none of its wallets */
                            wallet: string | null;
                            /** @enum {string} */
                            cause: "OPENING" | "TIMING" | "FEE" | "UNMATCHED" | "UNKNOWN";
                            explanation: string;
                            /** @description The withdrawal, deposit, order or booking that the explanation names */
                            cause_resource_id: string | null;
                            /** @description Unix milliseconds, UTC */
                            first_seen_at: number;
                            /** @description Unix milliseconds, UTC */
                            last_seen_at: number;
                            /** @description From first_seen_at until now, or until it was closed */
                            age_ms: number;
                            /** @description Unix milliseconds, UTC */
                            closed_at: number | null;
                            closed_by: string | null;
                            /**
                             * @description RESOLVED: the difference has disappeared
                             * @enum {string|null}
                             */
                            closed_reason: "RESOLVED" | "BY_HAND" | null;
                            note: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_desk_customer_wallets: {
        parameters: {
            query?: {
                customer_id?: string;
                /** @description comma list of assets */
                asset?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            customer_id: string;
                            customer_label: string;
                            account_id: string;
                            asset: string;
                            /** @description How many places inside venues are this customer's alone */
                            wallets: number;
                            /** @description What the venues hold there, as last compared; null: not compared yet */
                            venue: string | null;
                            /** @description What the books say that lies there */
                            ledger: string;
                            /** @description What the customer has in the books */
                            total: string;
                            /** @description What of it can be withdrawn */
                            available: string;
                            /** @description What of it is blocked */
                            blocked: string;
                            /** @description venue, or ledger while it is null, less total: in_flight and unassigned and unexplained, less unsettled and in_pool */
                            difference: string;
                            /** @description What of total lies in wallets of the house; below 0: what the customer's own wallets hold of others */
                            in_pool: string;
                            /** @description Movements that only one of venue and ledger has yet */
                            in_flight: string;
                            /** @description What of total was bought and is not paid by its venue yet */
                            unsettled: string;
                            /** @description Movements of these wallets that are booked to no account yet */
                            unassigned: string;
                            /** @description What is left between venue and ledger: see the breaks */
                            unexplained: string;
                            /** @description When the first of these wallets was last compared */
                            compared_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_desk_halts: {
        parameters: {
            query?: {
                /** @description comma list of SET, RELEASED */
                state?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "SET" | "RELEASED";
                            /** @enum {string} */
                            action: "WITHDRAWALS" | "TRADING";
                            /** @description null: every venue */
                            venue_id: string | null;
                            /** @description null: every asset */
                            asset: string | null;
                            reason: string;
                            set_by: string;
                            /** @description Unix milliseconds, UTC */
                            set_at: number;
                            released_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            released_at: number | null;
                            release_reason: string | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_desk_halts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "action": "WITHDRAWALS",
                 *       "asset": "BTC",
                 *       "halted": true,
                 *       "reason": "The chain has split"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    action: "WITHDRAWALS" | "TRADING";
                    /** @description Only at this venue */
                    venue_id?: string;
                    /** @description Only this asset */
                    asset?: string;
                    /** @description true sets the halt, false releases it */
                    halted: boolean;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Halt */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "SET" | "RELEASED";
                            /** @enum {string} */
                            action: "WITHDRAWALS" | "TRADING";
                            /** @description null: every venue */
                            venue_id: string | null;
                            /** @description null: every asset */
                            asset: string | null;
                            reason: string;
                            set_by: string;
                            /** @description Unix milliseconds, UTC */
                            set_at: number;
                            released_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            released_at: number | null;
                            release_reason: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_accounts_by_account_id_freeze: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                account_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "frozen": true,
                 *       "reason": "Asked for by compliance"
                 *     }
                 */
                "application/json": {
                    frozen: boolean;
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Account */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            type: "CUSTOMER" | "VENUE" | "TRADING" | "HOUSE" | "SUSPENSE" | "TRANSIT" | "MARGIN" | "RISK" | "FEE" | "ROUNDING" | "INCOME" | "EXPENSE";
                            label: string;
                            customer_id: string | null;
                            venue_id: string | null;
                            foreign_id: string | null;
                            /** @description A person opened it, for money of the house */
                            named: boolean;
                            /** @description Requests cannot take or block anything on it; what happens at a venue is still booked */
                            frozen: boolean;
                            frozen_reason: string | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_customers_by_customer_id_erase: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                customer_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "Request 2031/17"
                 *     }
                 */
                "application/json": {
                    /** @description Why, for the record. It is kept: name no person in it */
                    reason: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Erasure */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /**
                             * @description RUNNING: a task works through the records of the customer
                             * @enum {string}
                             */
                            state: "RUNNING" | "DONE";
                            customer_id: string;
                            /** @description Why, for the record. It is kept: name no person in it */
                            reason: string;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_erasures: {
        parameters: {
            query?: {
                customer_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /**
                             * @description RUNNING: a task works through the records of the customer
                             * @enum {string}
                             */
                            state: "RUNNING" | "DONE";
                            customer_id: string;
                            /** @description Why, for the record. It is kept: name no person in it */
                            reason: string;
                            /** @description Unix milliseconds, UTC */
                            completed_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_events: {
        parameters: {
            query?: {
                /** @description 0 to 9007199254740991 */
                after?: string;
                /** @description comma list of booking.created, account.opened, account.renamed, account.overdrawn, account.frozen, account.unfrozen, halt.set, halt.released, break.opened, break.closed, venue.connected, venue.opening_balance_adjusted, set_aside_item.opened, set_aside_item.resolved, set_aside_item.dismissed, customer.created, customer.changed, customer.deleted, customer.erased, book_transfer.created, book_transfer.done, book_transfer.canceled, wallet.created, wallet.activated, wallet.failed, wallet.changed, route.created, route.changed, route.collection_created, route.collection_refused, route.allowlist_requested, route.allowlist_approved, route.allowlist_refused, route.allowlist_removed, matching.created, matching.changed, matching.deleted, deposit.detected, deposit.frozen, deposit.received, deposit.assigned, deposit.assignment_requested, deposit.assignment_rejected, deposit.rectified, deposit.succeeded, deposit.related, deposit.unrelated, deposit.return_requested, deposit.returned, deposit.return_failed, deposit.failed, deposit.reinstated, deposit.reversed, withdrawal.created, withdrawal.sent_after_end, withdrawal.failed_after_success, withdrawal.discovered, withdrawal.fee_adjusted, withdrawal.submitted, withdrawal.review_started, withdrawal.review_decided, withdrawal.outcome_unknown, withdrawal.succeeded, withdrawal.failed, withdrawal.rejected, withdrawal.canceled, withdrawal.assigned, withdrawal.assignment_requested, withdrawal.assignment_rejected, withdrawal.rectified, settlement.created, settlement.changed, settlement.initiated, settlement.part_settled, settlement.part_failed, settlement.failed, settlement.netted_again, settlement.expected_arrival_changed, settlement.settled, settlement.canceled, job.created, job.changed, job.transferred, job.skipped, job.failed, execution.created, execution.triggered, execution.cancel_requested, execution.cancel_refused, execution.filled, execution.filled_late, execution.fill_busted, fill.recorded, fill.busted, execution.resumed, execution.outcome_unknown, execution.resolved, execution.resolution_confirmed, execution.resolution_contradicted, execution.resolution_corrected, execution.done, execution.canceled, execution.expired, execution.failed */
                type?: string;
                resource_id?: string;
                newest_first?: "true" | "false";
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            /** @enum {string} */
                            type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed";
                            /** @description Gapless and in commit order within the workspace */
                            sequence: number;
                            workspace: string;
                            /** @description The record of the event: a deposit, withdrawal, execution, booking, … */
                            resource_id: string;
                            /** @description Unix milliseconds, UTC */
                            occurred_at: number;
                            /** @description By type: see docs/events.md */
                            data: {
                                [key: string]: unknown;
                            };
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_events_stream: {
        parameters: {
            query?: {
                /** @description 0 to 9007199254740991 */
                after?: string;
                /** @description comma list of booking.created, account.opened, account.renamed, account.overdrawn, account.frozen, account.unfrozen, halt.set, halt.released, break.opened, break.closed, venue.connected, venue.opening_balance_adjusted, set_aside_item.opened, set_aside_item.resolved, set_aside_item.dismissed, customer.created, customer.changed, customer.deleted, customer.erased, book_transfer.created, book_transfer.done, book_transfer.canceled, wallet.created, wallet.activated, wallet.failed, wallet.changed, route.created, route.changed, route.collection_created, route.collection_refused, route.allowlist_requested, route.allowlist_approved, route.allowlist_refused, route.allowlist_removed, matching.created, matching.changed, matching.deleted, deposit.detected, deposit.frozen, deposit.received, deposit.assigned, deposit.assignment_requested, deposit.assignment_rejected, deposit.rectified, deposit.succeeded, deposit.related, deposit.unrelated, deposit.return_requested, deposit.returned, deposit.return_failed, deposit.failed, deposit.reinstated, deposit.reversed, withdrawal.created, withdrawal.sent_after_end, withdrawal.failed_after_success, withdrawal.discovered, withdrawal.fee_adjusted, withdrawal.submitted, withdrawal.review_started, withdrawal.review_decided, withdrawal.outcome_unknown, withdrawal.succeeded, withdrawal.failed, withdrawal.rejected, withdrawal.canceled, withdrawal.assigned, withdrawal.assignment_requested, withdrawal.assignment_rejected, withdrawal.rectified, settlement.created, settlement.changed, settlement.initiated, settlement.part_settled, settlement.part_failed, settlement.failed, settlement.netted_again, settlement.expected_arrival_changed, settlement.settled, settlement.canceled, job.created, job.changed, job.transferred, job.skipped, job.failed, execution.created, execution.triggered, execution.cancel_requested, execution.cancel_refused, execution.filled, execution.filled_late, execution.fill_busted, fill.recorded, fill.busted, execution.resumed, execution.outcome_unknown, execution.resolved, execution.resolution_confirmed, execution.resolution_contradicted, execution.resolution_corrected, execution.done, execution.canceled, execution.expired, execution.failed */
                type?: string;
                resource_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events; the data of each is this */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": {
                        id: string;
                        /** @enum {string} */
                        type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed";
                        /** @description Gapless and in commit order within the workspace */
                        sequence: number;
                        workspace: string;
                        /** @description The record of the event: a deposit, withdrawal, execution, booking, … */
                        resource_id: string;
                        /** @description Unix milliseconds, UTC */
                        occurred_at: number;
                        /** @description By type: see docs/events.md */
                        data: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_mails: {
        parameters: {
            query?: {
                /** @description comma list of PENDING, SENT, FAILED */
                state?: string;
                customer_id?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @enum {string} */
                            state: "PENDING" | "SENT" | "FAILED";
                            /** @description Of the event that caused it */
                            event_sequence: number;
                            /** @enum {string} */
                            event_type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed";
                            resource_id: string;
                            customer_id: string;
                            recipient: string;
                            subject: string;
                            body: string;
                            attempts: number;
                            /** @description Why it has not been sent yet */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            sent_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_signed_heads: {
        parameters: {
            query?: {
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            workspace: string;
                            /** @description Counts the heads of a workspace */
                            number: number;
                            /** @description The day on which it was made, UTC */
                            day: string;
                            /** @description Unix milliseconds, UTC */
                            made_at: number;
                            /** @description The text that was signed */
                            signed: string;
                            /** @description Ed25519, in base64 */
                            signature: string;
                            hash: string;
                            deliveries: {
                                /**
                                 * @description FILE: the folder of heads
                                 * @enum {string}
                                 */
                                target: "FILE" | "MAIL";
                                /** @description The file, or the address */
                                recipient: string;
                                /** @description Unix milliseconds, UTC */
                                delivered_at: number | null;
                                attempts: number;
                                /** @description Why it has not been delivered yet */
                                reason: string | null;
                            }[];
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_webhooks: {
        parameters: {
            query?: {
                /** @description comma list of ACTIVE, PAUSED, DELETED */
                state?: string;
                /** @description comma list of BY_HAND, FAILING, GONE, OWNER, SECRET */
                pause_cause?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    put_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "id": "01a1fc75-ea2a-7589-aa8f-000000000031",
                 *       "label": "Orders of the shop",
                 *       "url": "https://shop.example.com/kontor",
                 *       "types": [
                 *         "deposit.assigned",
                 *         "withdrawal.succeeded"
                 *       ],
                 *       "ordered": true,
                 *       "version": 1
                 *     }
                 */
                "application/json": {
                    id: string;
                    /** @description What people call it */
                    label: string;
                    /** @description Where events go, by POST. HTTPS, unless the operator allows plain HTTP */
                    url: string;
                    /** @description Events of these types; of every type that its owner may read when empty */
                    types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                    /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                    ordered: boolean;
                    /** @description Refused when it is not the current one */
                    version?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Orders of the shop",
                 *       "url": "https://shop.example.com/kontor",
                 *       "types": [
                 *         "deposit.assigned",
                 *         "withdrawal.succeeded"
                 *       ],
                 *       "ordered": true
                 *     }
                 */
                "application/json": {
                    /** @description What people call it */
                    label: string;
                    /** @description Where events go, by POST. HTTPS, unless the operator allows plain HTTP */
                    url: string;
                    /** @description Events of these types; of every type that its owner may read when empty */
                    types?: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                    /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                    ordered?: boolean;
                    /** @description Begins after the event of this sequence; with what happens from now on when absent */
                    after?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_webhooks_by_webhook_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    delete_webhooks_by_webhook_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_webhooks_by_webhook_id_secrets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            /** @description whsec_ and base64, as libraries of Standard Webhooks take it */
                            secret: string;
                            /** @description When it stops to sign; null of the present one */
                            until: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhooks_by_webhook_id_rotate_secret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": {
                    /** @description For how long the former secret signs too; 24 when absent */
                    overlap_hours?: number;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhooks_by_webhook_id_pause: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "the receiver moves to another host"
                 *     }
                 */
                "application/json": {
                    reason?: string;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhooks_by_webhook_id_resume: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "skip": false
                 *     }
                 */
                "application/json": {
                    /** @description What waits and what has happened meanwhile is not delivered. It is when absent */
                    skip?: boolean;
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** Webhook */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            /** @description What people call it */
                            label: string;
                            url: string;
                            /** @description Events of these types; of every type that its owner may read when empty */
                            types: ("booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed")[];
                            /** @description Events of one record are delivered one after the other: a later one waits for an earlier one */
                            ordered: boolean;
                            /** @enum {string} */
                            state: "ACTIVE" | "PAUSED" | "DELETED";
                            /** @description Who made or last changed it: it gets what this user may read */
                            owner_id: string;
                            /** @enum {string|null} */
                            pause_cause: "BY_HAND" | "FAILING" | "GONE" | "OWNER" | "SECRET" | null;
                            pause_reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            paused_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhooks_by_webhook_id_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** WebhookDelivery */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            webhook_id: string;
                            /** @description The header webhook-id, and the id of the event; the same in every attempt */
                            message_id: string;
                            /** @description Null of a test */
                            event_sequence: number | null;
                            /** @enum {string} */
                            event_type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed" | "webhook.test";
                            /** @description The record of the event; of a test the webhook */
                            resource_id: string;
                            /** @enum {string} */
                            state: "PENDING" | "DELIVERED" | "FAILED" | "CANCELED";
                            attempts: number;
                            /** @description When it is tried next, while PENDING */
                            due_at: number;
                            /** @description Of the last answer */
                            status: number | null;
                            /** @description Why the last attempt failed */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            delivered_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhooks_by_webhook_id_redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": 1200,
                 *       "up_to": 1300,
                 *       "only": "FAILED"
                 *     }
                 */
                "application/json": {
                    /** @description The events after this sequence */
                    after: number;
                    /** @description Up to this one; up to the last one when absent */
                    up_to?: number;
                    /**
                     * @description Deliveries that have FAILED, when absent, or ALL events of its types
                     * @enum {string}
                     */
                    only?: "FAILED" | "ALL";
                };
            };
        };
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** WebhookRedelivery */
                        data: {
                            id: string;
                            webhook_id: string;
                            after: number;
                            up_to: number;
                            /** @enum {string} */
                            only: "FAILED" | "ALL";
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_webhook_deliveries: {
        parameters: {
            query?: {
                webhook_id?: string;
                /** @description comma list of PENDING, DELIVERED, FAILED, CANCELED */
                state?: string;
                /** @description comma list of booking.created, account.opened, account.renamed, account.overdrawn, account.frozen, account.unfrozen, halt.set, halt.released, break.opened, break.closed, venue.connected, venue.opening_balance_adjusted, set_aside_item.opened, set_aside_item.resolved, set_aside_item.dismissed, customer.created, customer.changed, customer.deleted, customer.erased, book_transfer.created, book_transfer.done, book_transfer.canceled, wallet.created, wallet.activated, wallet.failed, wallet.changed, route.created, route.changed, route.collection_created, route.collection_refused, route.allowlist_requested, route.allowlist_approved, route.allowlist_refused, route.allowlist_removed, matching.created, matching.changed, matching.deleted, deposit.detected, deposit.frozen, deposit.received, deposit.assigned, deposit.assignment_requested, deposit.assignment_rejected, deposit.rectified, deposit.succeeded, deposit.related, deposit.unrelated, deposit.return_requested, deposit.returned, deposit.return_failed, deposit.failed, deposit.reinstated, deposit.reversed, withdrawal.created, withdrawal.sent_after_end, withdrawal.failed_after_success, withdrawal.discovered, withdrawal.fee_adjusted, withdrawal.submitted, withdrawal.review_started, withdrawal.review_decided, withdrawal.outcome_unknown, withdrawal.succeeded, withdrawal.failed, withdrawal.rejected, withdrawal.canceled, withdrawal.assigned, withdrawal.assignment_requested, withdrawal.assignment_rejected, withdrawal.rectified, settlement.created, settlement.changed, settlement.initiated, settlement.part_settled, settlement.part_failed, settlement.failed, settlement.netted_again, settlement.expected_arrival_changed, settlement.settled, settlement.canceled, job.created, job.changed, job.transferred, job.skipped, job.failed, execution.created, execution.triggered, execution.cancel_requested, execution.cancel_refused, execution.filled, execution.filled_late, execution.fill_busted, fill.recorded, fill.busted, execution.resumed, execution.outcome_unknown, execution.resolved, execution.resolution_confirmed, execution.resolution_contradicted, execution.resolution_corrected, execution.done, execution.canceled, execution.expired, execution.failed, webhook.test */
                event_type?: string;
                /** @description 1 to 10000 */
                limit?: string;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            webhook_id: string;
                            /** @description The header webhook-id, and the id of the event; the same in every attempt */
                            message_id: string;
                            /** @description Null of a test */
                            event_sequence: number | null;
                            /** @enum {string} */
                            event_type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed" | "webhook.test";
                            /** @description The record of the event; of a test the webhook */
                            resource_id: string;
                            /** @enum {string} */
                            state: "PENDING" | "DELIVERED" | "FAILED" | "CANCELED";
                            attempts: number;
                            /** @description When it is tried next, while PENDING */
                            due_at: number;
                            /** @description Of the last answer */
                            status: number | null;
                            /** @description Why the last attempt failed */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            delivered_at: number | null;
                        }[];
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    get_webhook_deliveries_by_webhook_delivery_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** WebhookDeliveryDetails */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            webhook_id: string;
                            /** @description The header webhook-id, and the id of the event; the same in every attempt */
                            message_id: string;
                            /** @description Null of a test */
                            event_sequence: number | null;
                            /** @enum {string} */
                            event_type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed" | "webhook.test";
                            /** @description The record of the event; of a test the webhook */
                            resource_id: string;
                            /** @enum {string} */
                            state: "PENDING" | "DELIVERED" | "FAILED" | "CANCELED";
                            attempts: number;
                            /** @description When it is tried next, while PENDING */
                            due_at: number;
                            /** @description Of the last answer */
                            status: number | null;
                            /** @description Why the last attempt failed */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            delivered_at: number | null;
                            /** @description As it is sent now */
                            request_body: string | null;
                            /** @description Its attempts, newest first, at most 50 */
                            history: {
                                number: number;
                                /** @description Unix milliseconds, UTC */
                                started_at: number;
                                duration_ms: number | null;
                                url: string;
                                /** @description As they were sent */
                                request_headers: {
                                    [key: string]: string;
                                };
                                status: number | null;
                                response_headers: {
                                    [key: string]: string;
                                } | null;
                                /** @description Its beginning */
                                response_body: string | null;
                                /** @description Why it failed */
                                reason: string | null;
                            }[];
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    post_webhook_deliveries_by_webhook_delivery_id_redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                webhook_delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Default Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {boolean} */
                        success: true;
                        /** WebhookDelivery */
                        data: {
                            id: string;
                            workspace: string;
                            /** @description Unix milliseconds, UTC */
                            system_created_at: number;
                            system_created_by: string | null;
                            /** @description Unix milliseconds, UTC */
                            system_updated_at: number;
                            system_updated_by: string | null;
                            /** @description Grows with each change */
                            version: number;
                            webhook_id: string;
                            /** @description The header webhook-id, and the id of the event; the same in every attempt */
                            message_id: string;
                            /** @description Null of a test */
                            event_sequence: number | null;
                            /** @enum {string} */
                            event_type: "booking.created" | "account.opened" | "account.renamed" | "account.overdrawn" | "account.frozen" | "account.unfrozen" | "halt.set" | "halt.released" | "break.opened" | "break.closed" | "venue.connected" | "venue.opening_balance_adjusted" | "set_aside_item.opened" | "set_aside_item.resolved" | "set_aside_item.dismissed" | "customer.created" | "customer.changed" | "customer.deleted" | "customer.erased" | "book_transfer.created" | "book_transfer.done" | "book_transfer.canceled" | "wallet.created" | "wallet.activated" | "wallet.failed" | "wallet.changed" | "route.created" | "route.changed" | "route.collection_created" | "route.collection_refused" | "route.allowlist_requested" | "route.allowlist_approved" | "route.allowlist_refused" | "route.allowlist_removed" | "matching.created" | "matching.changed" | "matching.deleted" | "deposit.detected" | "deposit.frozen" | "deposit.received" | "deposit.assigned" | "deposit.assignment_requested" | "deposit.assignment_rejected" | "deposit.rectified" | "deposit.succeeded" | "deposit.related" | "deposit.unrelated" | "deposit.return_requested" | "deposit.returned" | "deposit.return_failed" | "deposit.failed" | "deposit.reinstated" | "deposit.reversed" | "withdrawal.created" | "withdrawal.sent_after_end" | "withdrawal.failed_after_success" | "withdrawal.discovered" | "withdrawal.fee_adjusted" | "withdrawal.submitted" | "withdrawal.review_started" | "withdrawal.review_decided" | "withdrawal.outcome_unknown" | "withdrawal.succeeded" | "withdrawal.failed" | "withdrawal.rejected" | "withdrawal.canceled" | "withdrawal.assigned" | "withdrawal.assignment_requested" | "withdrawal.assignment_rejected" | "withdrawal.rectified" | "settlement.created" | "settlement.changed" | "settlement.initiated" | "settlement.part_settled" | "settlement.part_failed" | "settlement.failed" | "settlement.netted_again" | "settlement.expected_arrival_changed" | "settlement.settled" | "settlement.canceled" | "job.created" | "job.changed" | "job.transferred" | "job.skipped" | "job.failed" | "execution.created" | "execution.triggered" | "execution.cancel_requested" | "execution.cancel_refused" | "execution.filled" | "execution.filled_late" | "execution.fill_busted" | "fill.recorded" | "fill.busted" | "execution.resumed" | "execution.outcome_unknown" | "execution.resolved" | "execution.resolution_confirmed" | "execution.resolution_contradicted" | "execution.resolution_corrected" | "execution.done" | "execution.canceled" | "execution.expired" | "execution.failed" | "webhook.test";
                            /** @description The record of the event; of a test the webhook */
                            resource_id: string;
                            /** @enum {string} */
                            state: "PENDING" | "DELIVERED" | "FAILED" | "CANCELED";
                            attempts: number;
                            /** @description When it is tried next, while PENDING */
                            due_at: number;
                            /** @description Of the last answer */
                            status: number | null;
                            /** @description Why the last attempt failed */
                            reason: string | null;
                            /** @description Unix milliseconds, UTC */
                            delivered_at: number | null;
                        };
                    };
                };
            };
            /** @description Refused or failed: see error_code */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
