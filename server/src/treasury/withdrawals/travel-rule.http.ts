import type { WithdrawalId } from '../../core/ids.ts'
import { closed, endpoint, id } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { GiveTravelRuleData, TravelRuleState } from '../../travel-rule/index.ts'
import type { TreasuryApp } from '../app.ts'
import { giveTravelRuleData, travelRuleState } from './travel-rule.ts'
import { WithdrawalRecord } from './withdrawals.schema.ts'

export const travelRuleEndpoints = (app: TreasuryApp): Endpoint[] => [read(app), give(app)]

const tag = 'Withdrawals'
const path = '/treasury/withdrawals/:withdrawal_id/travel-rule'
const params = closed({ withdrawal_id: id<WithdrawalId>() })

const read = (app: TreasuryApp) =>
  endpoint({
    method: 'GET',
    operation_id: 'getTravelRuleData',
    personal: true,
    path,
    origin: { ours: 'data about sender and recipient travel with coins' },
    tag,
    summary: 'Travel-rule data of a withdrawal',
    permission: 'travel-rule.read',
    effect: 'read',
    description:
      'What was given and by whom, what is still missing, and what the records of customers ' +
      'have of it: `draft`, in the form of IVMS101.2023.',
    params,
    data: TravelRuleState,
    handle: ({ params: { withdrawal_id }, caller: { workspace } }) =>
      travelRuleState(app.db, workspace, withdrawal_id),
  })

const give = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'giveTravelRuleData',
    path,
    origin: { ours: 'data about sender and recipient travel with coins' },
    tag,
    summary: 'Give the travel-rule data of a withdrawal',
    permission: 'travel-rule.write',
    effect: 'lane',
    description:
      'In one version of IVMS 101, before it is sent. They take the place of former ones, which ' +
      'are kept. A withdrawal that waits for them (TRAVEL_RULE_DATA) goes on once nothing is ' +
      'missing. Refused: what breaks a constraint of the standard, named in the message; ' +
      'STATE_NOT_ALLOWED once sending has begun.',
    params,
    body: GiveTravelRuleData,
    example: {
      ivms101_2023: {
        originator: {
          originatorPerson: [
            {
              naturalPerson: {
                name: {
                  nameIdentifier: [
                    {
                      primaryIdentifier: 'Number',
                      secondaryIdentifier: 'Alice',
                      naturalPersonNameIdentifierType: 'LEGL',
                    },
                  ],
                },
                dateAndPlaceOfBirth: { dateOfBirth: '1980-02-29', placeOfBirth: 'Berlin' },
              },
            },
          ],
          accountNumber: ['01a1fc75-ea2a-7589-aa8f-000000000001'],
        },
        beneficiary: {
          beneficiaryPerson: [
            {
              legalPerson: {
                name: {
                  nameIdentifier: [
                    {
                      legalPersonName: 'Example Shop Ltd',
                      legalPersonNameIdentifierType: 'LEGL',
                    },
                  ],
                },
              },
            },
          ],
          accountNumber: ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'],
        },
        payloadMetadata: { payloadVersion: '101.2023' },
      },
    },
    data: WithdrawalRecord,
    handle: ({ params: { withdrawal_id }, body, caller }) =>
      giveTravelRuleData(caller, app, withdrawal_id, body),
  })
