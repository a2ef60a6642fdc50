#include "ns.h"
#include "psa/client.h"
#include "psa_manifest/sid.h"

uint32_t ns_main(void)
{
    ns_print_hex("framework ", psa_framework_version());
    ns_print_unsigned(" version ", psa_version(BENCH_CONNECTED_SID));
    psa_handle_t h = psa_connect(BENCH_CONNECTED_SID, 1);
    ns_print_hex(" handle ", (uint32_t)h);
    uint8_t in[16] = "0123456789abcde", out[16] = {0};
    psa_invec iv = { in, 16 };
    psa_outvec ov = { out, 16 };
    ns_print_signed(" call ", psa_call(h, 1, &iv, 1, &ov, 1));
    ns_print_unsigned(" len ", ov.len);
    ns_print((char *)out);
    ns_print_signed(" stateless ", psa_call(BENCH_STATELESS_HANDLE, 1, 0, 0, 0, 0));
    psa_close(h);
    ns_print_signed(" again ", psa_call(h, 1, &iv, 1, &ov, 1));
    ns_print("\n");
    return 0;
}
