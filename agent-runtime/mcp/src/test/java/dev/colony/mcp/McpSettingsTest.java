package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import dev.colony.core.registry.Secrets;
import dev.colony.mcp.McpSettings.Server.Approval;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of servers, and the values that are put into theirs. */
class McpSettingsTest {

  private static McpSettings read(String own) {
    return McpSettings.fromConfig(
        ConfigFactory.parseString("colony.mcp { " + own + " }")
            .withFallback(ConfigFactory.parseResources("reference.conf")));
  }

  @Test
  void aServerHasWhatItsBlockSaysAndTheDefaults() {
    McpSettings.Server server =
        read("""
        servers.files {
          command = [mcp-files, /data], tenants = [acme], approval = always, timeout = 5s
          environment { "A.B" = "${env:TOKEN}" }
        }
        """)
            .servers()
            .get("files");
    assertThat(server)
        .isEqualTo(
            new McpSettings.Server(
                List.of("mcp-files", "/data"),
                Optional.empty(),
                Map.of("A.B", "${env:TOKEN}"),
                Map.of(),
                List.of("acme"),
                false,
                true,
                Approval.ALWAYS,
                3,
                Duration.ofSeconds(5)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "servers.x {}",
        "servers.x { command = [a], url = \"http://b/\" }",
        "servers.x { url = \"ftp://b/\" }",
        "servers.x { url = \"http://me:secret@b/\" }",
        "servers.x { command = [a], comand = [b] }",
        "servers.x { command = [a], approval = sometimes }",
        "servers.x { command = [a], attempts = 11 }",
        "servers.x { command = [a], timeout = 1ms }",
        "servers.x { command = [a], environment { A = \"${TOKEN}\" } }",
        "servers.\"x y\" { command = [a] }",
        "servers.x = 7",
        "max-connections = 0"
      })
  void whatIsNoSettingIsRefusedByName(String own) {
    assertThatThrownBy(() -> read(own))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("colony.mcp")
        .hasMessageNotContaining("secret");
  }

  @Test
  void secretsArePutInAndTakenOutOfWhatIsSaid() {
    Secrets secrets = new Secrets(Map.of("TOKEN", "s$3cret")::get);
    assertThat(secrets.resolve(Map.of("a", "Bearer ${env:TOKEN}!")))
        .containsEntry("a", "Bearer s$3cret!");
    assertThat(secrets.redact("it says s$3cret twice: s$3cret"))
        .isEqualTo("it says *** twice: ***");
    assertThatThrownBy(() -> secrets.resolve(Map.of("a", "${env:NONE}")))
        .hasMessageContaining("NONE");
    assertThatThrownBy(() -> secrets.resolve(Map.of("a", "${file:/no/such}")))
        .hasMessageContaining("/no/such");
  }
}
