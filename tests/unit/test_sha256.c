/* base/sha256: FIPS 180-4 by the published example vectors, and the hex forms. */
#include "base/sha256.h"

#include "check.h"

/* NIST, "Examples with Intermediate Values" for FIPS 180-4: one block, two
 * blocks, a million times "a"; the empty message is from the CAVP set, the
 * 896-bit message from FIPS 180-2's four-block example. */
static const struct vector {
    const char *message;
    unsigned repeat;
    const char *digest;
} vectors[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
     "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
     1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

static void check_vectors(void)
{
    CHECK_ROWS(vectors, 5, "the table of published digests");
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        const struct vector *v = &vectors[i];
        struct sha256 h;
        struct digest d;
        char hex[DIGEST_HEX_BYTES];
        sha256_init(&h);
        for (unsigned k = 0; k < v->repeat; k++)
            sha256_add(&h, v->message, strlen(v->message));
        sha256_end(&h, &d);
        digest_hex(&d, hex);
        CHECK_TEXT(hex, v->digest, "%u times \"%.16s\" has the published digest", v->repeat,
                   v->message);
    }
}

static void check_pieces(void)
{
    uint8_t bytes[200];
    bool same = true;
    struct digest whole;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    sha256_of(bytes, sizeof bytes, &whole);
    for (size_t cut = 0; cut <= sizeof bytes; cut++) {
        struct sha256 h;
        struct sha256 copy;
        struct digest d;
        sha256_init(&h);
        sha256_add(&h, bytes, cut);
        copy = h;
        sha256_add(&copy, bytes + cut, sizeof bytes - cut);
        sha256_end(&copy, &d);
        same = same && digest_equal(&d, &whole);
    }
    CHECK(same, "a message cut at any of 201 places, its state copied there, has one digest");
}

static void check_end_leaves_state(void)
{
    struct sha256 h;
    struct digest first;
    struct digest second;
    struct digest both;
    sha256_init(&h);
    sha256_add(&h, "a", 1);
    sha256_end(&h, &first);
    sha256_add(&h, "bc", 2);
    sha256_end(&h, &second);
    sha256_of("abc", 3, &both);
    CHECK(digest_equal(&second, &both), "a digest taken half-way does not disturb what follows");
    CHECK(!digest_equal(&first, &second), "different messages have different digests");
}

#define HEX62 "00112233445566778899aabbccddeeff00112233445566778899aabbccddee"

static void check_parse(void)
{
    static const struct {
        const char *text;
        bool good;
        const char *claim;
    } rows[] = {
        {HEX62 "0f", true, "64 lower-case hex digits are a digest"},
        {HEX62 "0F", false, "an upper-case digit is refused"},
        {HEX62 "0g", false, "g is refused"},
        {HEX62 "0/", false, "the byte before 0 is refused"},
        {HEX62 "0:", false, "the byte after 9 is refused"},
        {HEX62 "0`", false, "the byte before a is refused"},
        {HEX62 "0", false, "63 digits are refused"},
        {HEX62 "0f0", false, "65 digits are refused"},
        {HEX62 "0\n", false, "a newline as the last byte is refused"},
        {"", false, "nothing is refused"},
    };
    CHECK_ROWS(rows, 10, "the table of digests as text");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct digest d;
        char hex[DIGEST_HEX_BYTES];
        memset(&d, 0x5a, sizeof d);
        bool good = digest_parse(str_span(rows[i].text), &d);
        digest_hex(&d, hex);
        bool as_said = good ? strcmp(hex, rows[i].text) == 0 : d.b[0] == 0x5a && d.b[31] == 0x5a;
        CHECK(good == rows[i].good && as_said, "%s", rows[i].claim);
    }
}

int main(void)
{
    check_vectors();
    check_pieces();
    check_end_leaves_state();
    check_parse();
    return check_end();
}
