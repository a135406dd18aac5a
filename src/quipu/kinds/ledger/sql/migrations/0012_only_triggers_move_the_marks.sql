-- How far the index has followed is moved by triggers alone, and by nobody who asks for it.

set local role quipu_owner;

alter function ledger.follow_value() security definer set search_path = '';
alter function ledger.follow_excerpt() security definer set search_path = '';
revoke execute on function ledger.follow(bigint, bigint) from public;

reset role;
