/* Pieces of JSON that the ledger and the records share.  Layer: evidence. */
#include "evidence/put.h"

void put_chars(struct json_writer *w, const char *name, const char *value)
{
    json_key(w, name);
    json_put_chars(w, value);
}

void put_number(struct json_writer *w, const char *name, uint64_t value)
{
    json_key(w, name);
    if (value == PUT_NULL)
        json_put_null(w);
    else
        json_put_u64(w, value);
}

void put_bool(struct json_writer *w, const char *name, bool value)
{
    json_key(w, name);
    json_put_bool(w, value);
}

void put_digest(struct json_writer *w, const char *name, const struct digest *digest)
{
    char hex[DIGEST_HEX_BYTES];
    digest_hex(digest, hex);
    put_chars(w, name, hex);
}

void put_code(struct json_writer *w, const char *name, int32_t value)
{
    json_key(w, name);
    if (value < 0)
        json_put_null(w);
    else
        json_put_i64(w, value);
}

void put_host(struct json_writer *w, const char *name, const struct machine *host)
{
    json_key(w, name);
    json_begin_object(w);
    put_chars(w, "host_kind", machine_kind_word((enum machine_kind)host->kind));
    put_number(w, "mem_total", host->mem_total);
    put_number(w, "mem_available", host->mem_available);
    json_key(w, "memory_pressure_some_avg10");
    json_put_centi(w, host->memory_pressure_centi);
    json_key(w, "cpu_pressure_some_avg10");
    json_put_centi(w, host->cpu_pressure_centi);
    json_end_object(w);
}

void put_any(struct json_writer *w, struct span bytes)
{
    if (str_is_utf8(bytes))
        json_put_string(w, bytes);
    else
        json_put_escaped(w, bytes);
}
