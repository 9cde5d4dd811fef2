package dev.colony.inference.gateway;

import static dev.colony.inference.InferenceFixtures.config;
import static dev.colony.inference.InferenceFixtures.json;
import static dev.colony.inference.InferenceFixtures.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which prompts of tenants share a cache. */
class TenantSaltTest {

  private static final TenantSalt SALT = new TenantSalt(Optional.of("0123456789abcdef"));

  private static InferenceRequest of(String tenant, String... salt) {
    InferenceRequest plain =
        request("c", "p1").context(CallContext.of(tenant, Duration.ofSeconds(1)));
    return salt.length == 0
        ? plain
        : plain.extraFields(Map.of("cache_salt", json("\"" + salt[0] + "\"")));
  }

  private static String salt(TenantSalt by, InferenceRequest request) {
    return by.on(request).extraFields().get("cache_salt").textValue();
  }

  @Test
  void aTenantsPromptsShareOneAndNoOthersDo() {
    String acme = salt(SALT, of("acme"));
    assertThat(acme).hasSize(43).isEqualTo(salt(SALT, of("acme")));
    assertThat(salt(SALT, of("other"))).isNotEqualTo(acme);
    assertThat(salt(new TenantSalt(Optional.of("fedcba9876543210")), of("acme")))
        .as("by another key")
        .isNotEqualTo(acme);
  }

  @Test
  void aClientsOwnSaltStaysWithinItsTenant() {
    String acme = salt(SALT, of("acme"));
    String own = salt(SALT, of("acme", "mine"));
    assertThat(own).isNotEqualTo(acme).isNotEqualTo(salt(SALT, of("other", "mine")));
    assertThat(salt(SALT, of("other", acme))).as("of a tenant that guesses").isNotEqualTo(acme);
  }

  @Test
  void withoutAKeyOrATenantAPromptStaysAsItIs() {
    InferenceRequest acme = of("acme");
    assertThat(new TenantSalt(Optional.empty()).on(acme)).isSameAs(acme);
    InferenceRequest none = of(CallContext.NO_TENANT);
    assertThat(SALT.on(none)).isSameAs(none);
  }

  @Test
  void theKeyIsASettingAndAShortOneIsRefused() {
    assertThat(GatewaySettings.fromConfig(config()).limits().tenantSaltKey()).isEmpty();
    assertThat(
            GatewaySettings.fromConfig(config("gateway.tenant-salt-key = 0123456789abcdef"))
                .limits()
                .tenantSaltKey())
        .contains("0123456789abcdef");
    assertThatThrownBy(() -> GatewaySettings.fromConfig(config("gateway.tenant-salt-key = short")))
        .hasMessageContaining("at least 16 characters");
  }
}
