# SPDX-License-Identifier: Apache-2.0
.PHONY: perfboard
perfboard: world
	$(EXTRA_ENV) $(BR2_EXTERNAL_PERFBOARD_PATH)/post-image.sh $(BINARIES_DIR) \
		$(call qstrip,$(BR2_PERFBOARD_LIKE)) $(call qstrip,$(BR2_PERFBOARD_WORDS))
