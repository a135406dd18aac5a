-- Outputs are long and compressed on their way in. Where the server has it, lz4 does that at a fifth of the cost of
-- its own method; what is stored already stays as it is.

set local role quipu_owner;

do $$
begin
    if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)) then
        alter table transcripts.tool_results alter column content set compression lz4;
        alter table transcripts.tool_calls alter column tool_input set compression lz4;
        alter table transcripts.lines
            alter column content_text set compression lz4,
            alter column thinking set compression lz4,
            alter column blocks set compression lz4;
    end if;
end
$$;

reset role;
