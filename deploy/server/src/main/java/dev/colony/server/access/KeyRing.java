package dev.colony.server.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.schema.JsonValues;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The keys that a node takes. Immutable. */
public record KeyRing(List<AccessKey> keys) {

  private static final Set<String> FIELDS = Set.of("name", "tenant", "role", "sha256");

  public KeyRing {
    keys = List.copyOf(keys);
    Set<String> names = new HashSet<>();
    Set<String> digests = new HashSet<>();
    for (AccessKey key : keys) {
      if (!names.add(key.principal().name()) | !digests.add(key.sha256())) {
        throw new IllegalArgumentException(
            "key %s stands there twice".formatted(key.principal().name()));
      }
    }
  }

  /**
   * Reads {@code {"keys": [{"name": ..., "tenant": ..., "role": ..., "sha256": ...}]}}.
   *
   * @throws IllegalArgumentException saying in one line what is wrong, and never a digest
   */
  public static KeyRing parse(String json) {
    JsonNode read;
    try {
      read = JsonValues.parse(json);
    } catch (JsonProcessingException malformed) {
      throw new IllegalArgumentException(
          "no JSON at line " + malformed.getLocation().getLineNr(), malformed);
    }
    if (!read.path("keys").isArray() || read.size() != 1) {
      throw new IllegalArgumentException("it must be {\"keys\": [...]} and nothing else");
    }
    List<AccessKey> keys = new ArrayList<>();
    for (JsonNode one : read.path("keys")) {
      keys.add(key(one, keys.size() + 1));
    }
    return new KeyRing(keys);
  }

  private static AccessKey key(JsonNode json, int number) {
    for (String field : FIELDS) {
      if (!json.path(field).isTextual()) {
        throw new IllegalArgumentException("key %d has no %s".formatted(number, field));
      }
    }
    if (json.size() != FIELDS.size()) {
      throw new IllegalArgumentException("key %d has more than %s".formatted(number, FIELDS));
    }
    return new AccessKey(
        new Principal(json.get("name").asText(), json.get("tenant").asText(), role(json, number)),
        json.get("sha256").asText().toLowerCase(Locale.ROOT));
  }

  private static Role role(JsonNode json, int number) {
    String name = json.get("role").asText();
    for (Role role : Role.values()) {
      if (role.name().toLowerCase(Locale.ROOT).equals(name)) {
        return role;
      }
    }
    throw new IllegalArgumentException(
        "key %d has the role %s, but must have viewer, operator or admin".formatted(number, name));
  }

  /** As it stands in the file; {@link #parse} reads it back. */
  public ObjectNode toJson() {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    ArrayNode all = json.putArray("keys");
    keys.forEach(key -> all.add(key.toJson()));
    return json;
  }

  /**
   * The holder of a key; empty if it is of none. Takes as long whichever key it is, and for none.
   */
  public Optional<Principal> holder(String key) {
    byte[] digest = AccessKey.digest(key);
    Optional<Principal> found = Optional.empty();
    for (AccessKey one : keys) {
      if (one.matches(digest)) {
        found = Optional.of(one.principal());
      }
    }
    return found;
  }
}
