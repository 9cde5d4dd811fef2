package dev.colony.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import dev.colony.server.Authenticator.Entry;
import dev.colony.server.Authenticator.OidcSettings;
import dev.colony.server.Principal.Credential;
import dev.colony.server.Principal.Role;
import dev.colony.server.TokenVerifier.Times;
import dev.colony.server.fixture.TokenIssuer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which tokens are taken, and what is said of the others. */
class TokenVerifierTest {

  private final TokenIssuer issuer = new TokenIssuer();
  private TokenVerifier verifier =
      TokenVerifier.of(issuer.settings(), Times.USUAL, InstantSource.system());

  @AfterEach
  void close() {
    verifier.close();
    issuer.close();
  }

  private static JWTClaimsSet.Builder good() {
    return TokenIssuer.claims("ann", "acme", Role.OPERATOR);
  }

  private void refused(String token, String why) {
    assertThat(verifier.enter(token)).isInstanceOf(Entry.BadToken.class);
    assertThat(((Entry.BadToken) verifier.enter(token)).why())
        .contains(why)
        .doesNotContain("\n", token);
  }

  @Test
  void aGoodTokenIsItsSubjectWithTenantAndRole() {
    assertThat(verifier.enter(issuer.token(good())))
        .isEqualTo(
            new Entry.Admitted(new Principal("ann", "acme", Role.OPERATOR, Credential.TOKEN)));
    assertThat(
            verifier.enter(
                issuer.token(TokenIssuer.claims("root", Principal.EVERY_TENANT, Role.ADMIN))))
        .isEqualTo(new Entry.Admitted(new Principal("root", "*", Role.ADMIN, Credential.TOKEN)));
    assertThat(issuer.reads()).isEqualTo(1);
  }

  @Test
  void eachAlgorithmThatIsNamedIsTaken() throws Exception {
    for (JWSAlgorithm rsa : List.of(JWSAlgorithm.RS256, JWSAlgorithm.RS512, JWSAlgorithm.PS384)) {
      assertThat(verifier.enter(TokenIssuer.token(good(), issuer.key(), rsa)))
          .isInstanceOf(Entry.Admitted.class);
    }
    for (Curve curve : List.of(Curve.P_256, Curve.P_384, Curve.P_521)) {
      verifier.close();
      issuer.rotate(new ECKeyGenerator(curve).keyID("ec").generate());
      verifier = TokenVerifier.of(issuer.settings(), Times.USUAL, InstantSource.system());
      JWSAlgorithm algorithm =
          curve == Curve.P_256
              ? JWSAlgorithm.ES256
              : curve == Curve.P_384 ? JWSAlgorithm.ES384 : JWSAlgorithm.ES512;
      assertThat(verifier.enter(TokenIssuer.token(good(), issuer.key(), algorithm)))
          .isInstanceOf(Entry.Admitted.class);
    }
  }

  @Test
  void timesCountWithTheSkew() {
    Instant now = Instant.parse("2031-02-03T04:05:06Z");
    verifier.close();
    verifier = TokenVerifier.of(issuer.settings(), Times.USUAL, () -> now);
    Date late = Date.from(now.minus(TokenVerifier.SKEW));
    Date almost = Date.from(now.minus(TokenVerifier.SKEW).plusSeconds(1));
    refused(issuer.token(good().expirationTime(late)), "expired (exp)");
    assertThat(verifier.enter(issuer.token(good().expirationTime(almost))))
        .isInstanceOf(Entry.Admitted.class);
    Date valid = Date.from(now.plusSeconds(600));
    Date early = Date.from(now.plus(TokenVerifier.SKEW).plusSeconds(1));
    Date soon = Date.from(now.plus(TokenVerifier.SKEW));
    refused(issuer.token(good().expirationTime(valid).notBeforeTime(early)), "not valid yet (nbf)");
    assertThat(verifier.enter(issuer.token(good().expirationTime(valid).notBeforeTime(soon))))
        .isInstanceOf(Entry.Admitted.class);
    refused(issuer.token(good().expirationTime(null)), "no time of expiry (exp)");
  }

  @Test
  void anotherAudienceIssuerOrKindIsRefused() {
    refused(issuer.token(good().audience("billing")), "audience (aud) must be colony");
    refused(issuer.token(good().audience((String) null)), "audience (aud) must be colony");
    assertThat(verifier.enter(issuer.token(good().audience(List.of("billing", "colony")))))
        .isInstanceOf(Entry.Admitted.class);
    refused(
        issuer.token(good().issuer("https://evil.example")),
        "issuer (iss) must be " + TokenIssuer.ISSUER);
    refused(issuer.token(good().issuer(null)), "issuer (iss)");
  }

  @Test
  void whatNobodyOrTheWrongOneHasSignedIsRefused() throws Exception {
    refused(new PlainJWT(good().build()).serialize(), "alg is none");
    OctetSequenceKey shared =
        new OctetSequenceKey.Builder(issuer.key().toRSAKey().toPublicKey().getEncoded())
            .keyID(issuer.key().getKeyID())
            .build();
    refused(TokenIssuer.token(good(), shared, JWSAlgorithm.HS256), "algorithm is HS256");
    JWK impostor = TokenIssuer.rsa();
    refused(TokenIssuer.token(good(), impostor, JWSAlgorithm.RS256), "key (kid) is none");
    refused(
        TokenIssuer.token(good(), named(issuer.key().getKeyID(), impostor), JWSAlgorithm.RS256),
        "signature is wrong");
    String[] parts = issuer.token(good()).split("\\.");
    String changed =
        new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8)
            .replace("operator", "admin");
    refused(
        "%s.%s.%s"
            .formatted(
                parts[0],
                Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(changed.getBytes(StandardCharsets.UTF_8)),
                parts[2]),
        "signature is wrong");
    for (String garbage : List.of(".", "..", "a.b.c", "a.b", parts[0] + "." + parts[1])) {
      assertThat(verifier.enter(garbage))
          .as(garbage)
          .isEqualTo(new Entry.BadToken("it is malformed"));
    }
  }

  private static JWK named(String id, JWK key) throws Exception {
    return new com.nimbusds.jose.jwk.RSAKey.Builder(key.toRSAKey()).keyID(id).build();
  }

  @Test
  void claimsThatNameNoTenantRoleOrSubjectAreRefusedByName() {
    refused(issuer.token(good().claim("tenant", null)), "claim tenant");
    refused(issuer.token(good().claim("tenant", "a b")), "claim tenant");
    refused(issuer.token(good().claim("tenant", List.of("acme"))), "claim tenant");
    for (Object none : new Object[] {null, "root", "ADMIN", 3, List.of(), List.of("offline")}) {
      refused(
          issuer.token(good().claim("role", none)), "claim role must be viewer, operator or admin");
    }
    for (String none : new String[] {null, " ", "a\nb", "x".repeat(129)}) {
      refused(issuer.token(good().subject(none)), "subject (sub)");
    }
  }

  @Test
  void ofSeveralRolesTheHighestCountsAndClaimsHaveTheNamesOfTheSettings() {
    OidcSettings settings =
        new OidcSettings(
            issuer.settings().issuer(),
            issuer.settings().jwksUrl(),
            issuer.settings().audience(),
            "https://colony.example/tenant",
            "roles");
    verifier.close();
    verifier = TokenVerifier.of(settings, Times.USUAL, InstantSource.system());
    assertThat(
            verifier.enter(
                issuer.token(
                    good()
                        .claim("https://colony.example/tenant", "beta")
                        .claim("roles", List.of("offline_access", "admin", "viewer")))))
        .isEqualTo(new Entry.Admitted(new Principal("ann", "beta", Role.ADMIN, Credential.TOKEN)));
    refused(issuer.token(good()), "claim roles");
  }

  @Test
  void aRotatedKeyIsReadOnceAndUnknownOnesAreNotReadAgainAndAgain() {
    assertThat(verifier.enter(issuer.token(good()))).isInstanceOf(Entry.Admitted.class);
    String old = issuer.token(good());
    issuer.rotate(TokenIssuer.rsa());
    for (int i = 0; i < 3; i++) {
      assertThat(verifier.enter(issuer.token(good()))).isInstanceOf(Entry.Admitted.class);
    }
    assertThat(issuer.reads()).isEqualTo(2);
    for (int i = 0; i < 20; i++) {
      refused(old, "key (kid) is none of the issuer's");
    }
    assertThat(issuer.reads()).isEqualTo(2);
  }

  @Test
  void whileTheIssuerIsAwayItsKeysStayGoodForAWhile() {
    Times soon = new Times(Duration.ofMillis(400), Duration.ofMillis(100), Duration.ofSeconds(5));
    verifier.close();
    verifier = TokenVerifier.of(issuer.settings(), soon, InstantSource.system());
    String token = issuer.token(good());
    assertThat(verifier.enter(token)).isInstanceOf(Entry.Admitted.class);
    issuer.down(true);
    int reads = issuer.reads();
    await()
        .until(() -> {
          assertThat(verifier.enter(token)).isInstanceOf(Entry.Admitted.class);
          return issuer.reads() > reads + 1;
        });
    await().until(() -> verifier.enter(token) instanceof Entry.Unverified);
    issuer.down(false);
    await().until(() -> verifier.enter(token) instanceof Entry.Admitted);
  }

  @Test
  void beforeTheKeysAreReadNoTokenCanBeChecked() {
    issuer.down(true);
    for (int i = 0; i < 5; i++) {
      assertThat(verifier.enter(issuer.token(good())))
          .isEqualTo(new Entry.Unverified("the keys of its issuer cannot be read now"));
    }
  }

  @Test
  void settingsThatWouldTakeAnybodysTokensAreRefused() {
    Optional<String> is = Optional.of("x");
    assertThatThrownBy(() -> new OidcSettings(is, Optional.empty(), is, "t", "r"))
        .hasMessageContaining("together");
    for (String url : List.of("http://issuer.example/keys", "ftp://localhost/keys", "keys")) {
      assertThatThrownBy(() -> new OidcSettings(is, Optional.of(url), is, "t", "r"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("https://");
    }
    assertThatThrownBy(() -> new OidcSettings(is, Optional.of("https://i/k"), is, "", "r"))
        .hasMessageContaining("claims");
  }
}
