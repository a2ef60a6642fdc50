/* SPDX-License-Identifier: BSD-3-Clause */
/* What the build makes of the manifests for a real image. */
#ifndef PSA_FRAMEWORK_FEATURE_H
#define PSA_FRAMEWORK_FEATURE_H

#define PSA_FRAMEWORK_ISOLATION_LEVEL 1
#define PSA_FRAMEWORK_HAS_MM_IOVEC    1

#endif
