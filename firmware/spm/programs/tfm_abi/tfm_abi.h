/* SPDX-License-Identifier: BSD-3-Clause */
/* What a program that was made for TF-M links with: the veneers and the client ids, as its interface names and types them. */
#ifndef TFM_ABI_H
#define TFM_ABI_H

#include <stdint.h>

#include "psa/client.h"

uint32_t tfm_psa_framework_version_veneer(void);
uint32_t tfm_psa_version_veneer(uint32_t sid);
psa_handle_t tfm_psa_connect_veneer(uint32_t sid, uint32_t version);
psa_status_t tfm_psa_call_veneer(psa_handle_t handle, uint32_t control, const psa_invec *in_vec, psa_outvec *out_vec);
void tfm_psa_close_veneer(psa_handle_t handle);

/* In handlers only. */
uint32_t tfm_nsce_init(uint32_t wanted);
uint32_t tfm_nsce_acquire_ctx(uint8_t group, uint8_t thread);
uint32_t tfm_nsce_release_ctx(uint32_t token);
uint32_t tfm_nsce_load_ctx(uint32_t token, int32_t id);
uint32_t tfm_nsce_save_ctx(uint32_t token);

#define TFM_IN_SHIFT           24U
#define TFM_OUT_SHIFT          16U
#define TFM_MARKS              0xF8F80000U /* all bits that are neither type nor count */
#define TFM_NSCE_INVALID_TOKEN 0xFFFFFFFFU

enum tfm_nsce_status { TFM_NSCE_SUCCESS, TFM_NSCE_TOKEN, TFM_NSCE_ID, TFM_NSCE_ACCESS };

#endif
