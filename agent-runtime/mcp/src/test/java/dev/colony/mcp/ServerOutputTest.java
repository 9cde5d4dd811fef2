package dev.colony.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of the bytes that a server answers. */
class ServerOutputTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 100, 1000})
  void bytesAreCountedAsTheyAreWithoutTheirPadding(int size) throws Exception {
    String data = Base64.getEncoder().encodeToString(new byte[size]);
    String bare = Base64.getEncoder().withoutPadding().encodeToString(new byte[size]);
    String lines = Base64.getMimeEncoder().encodeToString(new byte[size]).replace("\r\n", "\\n");
    for (String text : List.of(data, bare, lines)) {
      for (String type : List.of("image", "audio")) {
        assertThat(output("{\"type\":\"%s\",\"mimeType\":\"x/y\",\"data\":\"%s\"}", type, text))
            .isEqualTo(size);
      }
    }
  }

  @Test
  void theBytesOfAResourceAreCountedSoToo() throws Exception {
    assertThat(
            output(
                "{\"type\":\"%s\",\"resource\":{\"uri\":\"a://b\",\"mimeType\":\"x/y\",\"blob\":\"%s\"}}",
                "resource", "YWI="))
        .isEqualTo(2);
  }

  private static int output(String form, String type, String data) throws Exception {
    JsonNode output =
        ServerOutput.of(
            ProtocolJson.INSTANCE.readValue(
                "{\"content\":[" + form.formatted(type, data) + "]}", CallToolResult.class));
    assertThat(output.path("type").asText()).isEqualTo(type);
    return output.path("bytes").asInt();
  }
}
