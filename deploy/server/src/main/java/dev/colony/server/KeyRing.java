package dev.colony.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.colony.agent.author.JsonValues;
import dev.colony.server.Principal.Role;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
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
    return Role.named(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "key %d has the role %s, but must have viewer, operator or admin"
                    .formatted(number, name)));
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

  /**
   * A key as the node knows it: whose it is, and a digest that the key cannot be found from. Keys
   * are 256 random bits, so that a plain digest is as good as a slow one.
   *
   * @param sha256 of the key's characters, 64 hexadecimal digits
   */
  public record AccessKey(Principal principal, String sha256) {

    private static final int RANDOM_BYTES = 32;
    private static final String PREFIX = "colony_";

    public AccessKey {
      if (principal.name().equals(Principal.LOCAL.name())) {
        throw new IllegalArgumentException(
            "a key is not named %s, as the caller of a node without keys is: choose another name"
                .formatted(principal.name()));
      }
      if (!sha256.matches("[0-9a-f]{64}")) {
        throw new IllegalArgumentException(
            "sha256 of key %s must be 64 hexadecimal digits".formatted(principal.name()));
      }
    }

    /** A new key that no other caller has: 50 characters that need no escaping anywhere. */
    public static String random() {
      byte[] bytes = new byte[RANDOM_BYTES];
      new SecureRandom().nextBytes(bytes);
      return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    public static AccessKey of(Principal principal, String key) {
      return new AccessKey(principal, HexFormat.of().formatHex(digest(key)));
    }

    /** Takes as long for a wrong key as for the right one. */
    boolean matches(byte[] digest) {
      return MessageDigest.isEqual(HexFormat.of().parseHex(sha256), digest);
    }

    static byte[] digest(String key) {
      try {
        return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
      } catch (NoSuchAlgorithmException impossible) {
        throw new IllegalStateException(impossible);
      }
    }

    public ObjectNode toJson() {
      return JsonNodeFactory.instance
          .objectNode()
          .put("name", principal.name())
          .put("tenant", principal.tenant())
          .put("role", principal.role().word())
          .put("sha256", sha256);
    }
  }
}
