package dev.colony.inference.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.colony.inference.CallContext;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.replicas.PromptBlocks;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keeps the cached prompts of tenants apart: each prompt of a tenant gets a {@code cache_salt} that
 * is HMAC-SHA256 of the tenant, and of the salt that its client has set, under the operator's key.
 * No client can make another tenant's salt, and so learn by the time of a reply what that tenant
 * has asked. A server that does not know the field caches as before. Thread-safe.
 *
 * @param key empty for none: then prompts stay as they are
 */
record TenantSalt(Optional<String> key) {

  /** Of the key, in characters. */
  static final int SHORTEST_KEY = 16;

  private static final String HMAC = "HmacSHA256";

  /** The request with its tenant's salt; the same where there is no key or no tenant. */
  InferenceRequest on(InferenceRequest request) {
    String tenant = request.context().tenant();
    if (key.isEmpty() || tenant.equals(CallContext.NO_TENANT)) {
      return request;
    }
    Map<String, JsonNode> fields = new HashMap<>(request.extraFields());
    JsonNode own = fields.get(PromptBlocks.SALT);
    // Lengths first, so that no two pairs of a tenant and a salt are one text.
    String salted = tenant.length() + ":" + tenant + (own == null ? "" : own);
    fields.put(PromptBlocks.SALT, TextNode.valueOf(hash(salted)));
    return request.extraFields(fields);
  }

  private String hash(String text) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key.orElseThrow().getBytes(StandardCharsets.UTF_8), HMAC));
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException missing) {
      throw new IllegalStateException("every Java runtime has " + HMAC, missing);
    }
  }
}
