-- name: keep_link: a link that signs a browser in; only the owner of the database may
insert into core.signins (token_sha256, kind, ends_at) values (%(link)s, 'link', %(until)s)

-- name: redeem: exchange a link for a session, once
select core.redeem_signin_link(%(link)s, %(session)s, %(at)s, %(until)s)

-- name: is_signed_in: is there such a session, which has not ended
select core.is_signed_in(%(session)s, %(at)s)

-- name: sign_out: end a session
select core.sign_out(%(session)s)

-- name: drop_ended: drop links and sessions that have ended
select core.drop_ended_signins(%(at)s)
