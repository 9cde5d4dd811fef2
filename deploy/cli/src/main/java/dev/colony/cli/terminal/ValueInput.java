package dev.colony.cli.terminal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.blackboard.value.ValueRules;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Reads the value that a person gives to write: JSON or, where it is said to be, plain text.
 *
 * @param maxBytes the longest text that is read
 */
public record ValueInput(boolean text, int maxBytes) {

  private static final ObjectMapper JSON =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxStringLength(Integer.MAX_VALUE)
                          .maxNumberLength(Integer.MAX_VALUE)
                          .maxNameLength(Integer.MAX_VALUE)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /**
   * The value that an argument of the command line is.
   *
   * @throws CommandFailure if it is no JSON and should be, or breaks one of the {@link ValueRules}
   */
  public JsonNode read(String word) {
    if (text) {
      return TextNode.valueOf(word);
    }
    try {
      JsonNode value = JSON.readTree(word);
      if (value.isMissingNode()) {
        throw refused("VALUE is empty: give JSON, or plain text with --text", null);
      }
      ValueRules.fault("VALUE", value)
          .ifPresent(fault -> {
            throw refused(fault, null);
          });
      return value;
    } catch (JsonProcessingException failure) {
      throw refused(
          "VALUE is no JSON: give plain text with --text (%s)"
              .formatted(failure.getOriginalMessage().lines().findFirst().orElse("")),
          failure);
    }
  }

  /**
   * The value that a stream holds, in UTF-8; text is taken as it is, its last line's end included.
   *
   * @throws CommandFailure if it is longer than allowed, is no UTF-8, or is no JSON and should be
   */
  public JsonNode read(InputStream stream) {
    try {
      byte[] bytes = stream.readNBytes(maxBytes);
      if (stream.read() >= 0) {
        throw refused(
            "standard input has more than %d bytes (colony.blackboard.max-value-bytes)"
                .formatted(maxBytes),
            null);
      }
      return read(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException failure) {
      throw refused("standard input is no UTF-8", failure);
    } catch (IOException failure) {
      throw refused("standard input cannot be read: " + failure.getMessage(), failure);
    }
  }

  private static CommandFailure refused(String message, Throwable cause) {
    return CommandFailure.badInput(message, cause);
  }
}
