package dev.colony.server;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.jwk.source.OutageTolerantJWKSetSource.OutageEvent;
import com.nimbusds.jose.jwk.source.RateLimitReachedException;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.JWTParser;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.colony.blackboard.value.Text;
import dev.colony.server.Authenticator.Entry;
import dev.colony.server.Authenticator.OidcSettings;
import dev.colony.server.Principal.Credential;
import dev.colony.server.Principal.Role;
import java.io.Closeable;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.security.Key;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whose a token is: a JSON Web Token (RFC 7519) that an issuer of OpenID Connect has signed
 * for this audience. The issuer's public keys are read from its URL, and kept: they are read again
 * when they are {@link Times#kept} old, and when a token names a key that is not among them, which
 * happens twice within {@link Times#between} at most. While the URL does not answer, the keys of
 * before stay good for {@link Times#outage}. Follows the advice of RFC 8725. Thread-safe; blocks
 * while keys are read.
 */
final class TokenVerifier implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TokenVerifier.class);

  /** Those that a public key is enough to check for, and the JDK can. */
  private static final Set<JWSAlgorithm> ALGORITHMS =
      Set.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  /** What a token may say that it is: no other kind that the issuer signs is taken for one. */
  private static final Set<JOSEObjectType> TYPES =
      Set.of(
          JOSEObjectType.JWT,
          new JOSEObjectType("at+jwt"),
          new JOSEObjectType("application/at+jwt"));

  /** How far the clocks of issuer and node may be apart. */
  static final Duration SKEW = Duration.ofSeconds(30);

  /** For a connection to the issuer, and for each part of its answer. */
  private static final Duration ANSWER = Duration.ofSeconds(2);

  /** Bytes of the issuer's keys. */
  private static final int MOST_BYTES = 256 * 1024;

  private static final JWKSelector ALL = new JWKSelector(new JWKMatcher.Builder().build());

  private final OidcSettings settings;
  private final InstantSource clock;
  private final JWKSource<SecurityContext> source;
  private final JWSVerificationKeySelector<SecurityContext> selector;
  private final DefaultJWSVerifierFactory verifiers = new DefaultJWSVerifierFactory();

  /**
   * How long the issuer's keys count.
   *
   * @param kept until they are read again
   * @param between in which they are read twice at most; less than kept
   * @param outage while the issuer does not answer
   */
  record Times(Duration kept, Duration between, Duration outage) {

    static final Times USUAL =
        new Times(Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofHours(1));
  }

  /** A token that is not taken, and why, in one line. */
  private static final class BadTokenException extends Exception {

    private static final long serialVersionUID = 1L;

    BadTokenException(String why) {
      super(why, null, false, false);
    }
  }

  private TokenVerifier(OidcSettings settings, Times times, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
    this.source = source(settings, times);
    this.selector = new JWSVerificationKeySelector<>(ALGORITHMS, source);
  }

  /** Begins to read the issuer's keys; whether that succeeds, the log says. */
  static TokenVerifier of(OidcSettings settings) {
    TokenVerifier verifier = of(settings, Times.USUAL, InstantSource.system());
    Thread.ofVirtual().name("issuer-keys").start(verifier::look);
    return verifier;
  }

  static TokenVerifier of(OidcSettings settings, Times times, InstantSource clock) {
    return new TokenVerifier(settings, times, clock);
  }

  private static JWKSource<SecurityContext> source(OidcSettings settings, Times times) {
    int answer = (int) ANSWER.toMillis();
    return JWKSourceBuilder.<SecurityContext>create(
            url(settings.jwksUrl().orElseThrow()),
            new DefaultResourceRetriever(answer, answer, MOST_BYTES))
        .cache(times.kept().toMillis(), times.kept().toMillis() / 4)
        .refreshAheadCache(
            times.kept().toMillis() / 10,
            null,
            Executors.newVirtualThreadPerTaskExecutor(),
            true,
            null,
            false)
        .rateLimited(times.between().toMillis())
        .outageTolerant(
            times.outage().toMillis(),
            event -> {
              if (event instanceof OutageEvent<SecurityContext> outage) {
                LOG.warn(
                    "the keys of {} cannot be read, those of before stay good: {}",
                    settings.issuer().orElseThrow(),
                    Text.message(outage.getException()));
              }
            })
        .build();
  }

  private static URL url(String text) {
    try {
      return URI.create(text).toURL();
    } catch (MalformedURLException impossible) {
      throw new IllegalArgumentException(impossible);
    }
  }

  private void look() {
    try {
      source.get(ALL, null);
    } catch (KeySourceException none) {
      LOG.warn(
          "no token can be checked until the keys of {} can be read: {}",
          settings.issuer().orElseThrow(),
          Text.message(none));
    }
  }

  /** Whether a text looks like a token, as no key that is made for us does. */
  static boolean like(String credential) {
    return credential.indexOf('.') >= 0;
  }

  /** Whose a token is, or why it is not taken. */
  Entry enter(String token) {
    try {
      SignedJWT jwt = signed(token);
      checkSignature(jwt);
      return new Entry.Admitted(principal(checked(jwt.getJWTClaimsSet())));
    } catch (BadTokenException bad) {
      return new Entry.BadToken(bad.getMessage());
    } catch (ParseException malformed) {
      return new Entry.BadToken("it is malformed");
    } catch (KeySourceException unknown) {
      LOG.warn("a token cannot be checked: {}", Text.message(unknown));
      return new Entry.Unverified("the keys of its issuer cannot be read now");
    }
  }

  private static SignedJWT signed(String token) throws ParseException, BadTokenException {
    return switch (JWTParser.parse(token)) {
      case SignedJWT jwt -> jwt;
      case PlainJWT unsigned -> throw new BadTokenException("it is not signed (alg is none)");
      default -> throw new BadTokenException("it is encrypted, but must only be signed");
    };
  }

  private void checkSignature(SignedJWT jwt) throws BadTokenException, KeySourceException {
    JWSHeader header = jwt.getHeader();
    if (!ALGORITHMS.contains(header.getAlgorithm())) {
      throw new BadTokenException(
          "its algorithm is %s, but must be one of %s"
              .formatted(
                  Text.line(header.getAlgorithm().getName(), 20),
                  ALGORITHMS.stream()
                      .map(JWSAlgorithm::getName)
                      .collect(Collectors.toCollection(TreeSet::new))));
    }
    if (!Optional.ofNullable(header.getType()).map(TYPES::contains).orElse(true)) {
      throw new BadTokenException("its type (typ) must be JWT or at+jwt");
    }
    List<Key> keys = keys(header);
    if (keys.isEmpty()) {
      throw new BadTokenException("its key (kid) is none of the issuer's");
    }
    for (Key key : keys) {
      try {
        if (jwt.verify(verifiers.createJWSVerifier(header, key))) {
          return;
        }
      } catch (JOSEException unfit) {
        LOG.debug("a key does not fit its token", unfit);
      }
    }
    throw new BadTokenException("its signature is wrong");
  }

  /** Those that may have signed it; none where the issuer has no such key. */
  private List<Key> keys(JWSHeader header) throws KeySourceException {
    try {
      return selector.selectJWSKeys(header, null);
    } catch (RateLimitReachedException justRead) {
      source.get(ALL, null);
      return List.of();
    }
  }

  private JWTClaimsSet checked(JWTClaimsSet claims) throws BadTokenException {
    Instant now = clock.instant();
    Instant expires = time(claims.getExpirationTime(), "it has no time of expiry (exp)");
    if (!now.minus(SKEW).isBefore(expires)) {
      throw new BadTokenException("it has expired (exp)");
    }
    if (claims.getNotBeforeTime() != null
        && now.plus(SKEW).isBefore(claims.getNotBeforeTime().toInstant())) {
      throw new BadTokenException("it is not valid yet (nbf)");
    }
    if (!settings.issuer().equals(Optional.ofNullable(claims.getIssuer()))) {
      throw new BadTokenException("its issuer (iss) must be " + settings.issuer().orElseThrow());
    }
    if (!claims.getAudience().contains(settings.audience().orElseThrow())) {
      throw new BadTokenException(
          "its audience (aud) must be " + settings.audience().orElseThrow());
    }
    return claims;
  }

  private static Instant time(Date date, String otherwise) throws BadTokenException {
    if (date == null) {
      throw new BadTokenException(otherwise);
    }
    return date.toInstant();
  }

  private Principal principal(JWTClaimsSet claims) throws BadTokenException {
    String subject = claims.getSubject();
    if (subject == null
        || subject.isBlank()
        || subject.length() > Principal.MOST_CHARACTERS
        || !subject.equals(Text.line(subject, Principal.MOST_CHARACTERS))) {
      throw new BadTokenException("its subject (sub) must be 1 to 128 characters on one line");
    }
    Role role = role(claims);
    if (!(claims.getClaim(settings.tenantClaim()) instanceof String tenant)) {
      throw new BadTokenException(
          "its claim %s must name a tenant".formatted(settings.tenantClaim()));
    }
    try {
      return new Principal(subject, tenant, role, Credential.TOKEN);
    } catch (IllegalArgumentException none) {
      throw new BadTokenException(
          "its claim %s must name a tenant".formatted(settings.tenantClaim()));
    }
  }

  /** Of several, the highest; issuers list roles of other programs beside ours. */
  private Role role(JWTClaimsSet claims) throws BadTokenException {
    Object given = claims.getClaim(settings.roleClaim());
    List<?> words =
        given instanceof List<?> all ? all : Optional.ofNullable(given).stream().toList();
    return words.stream()
        .flatMap(word -> Role.named(String.valueOf(word)).stream())
        .max(Comparator.naturalOrder())
        .orElseThrow(() ->
            new BadTokenException(
                "its claim %s must be viewer, operator or admin".formatted(settings.roleClaim())));
  }

  @Override
  public void close() {
    if (source instanceof Closeable open) {
      try {
        open.close();
      } catch (IOException failure) {
        LOG.debug("the issuer's keys are not closed", failure);
      }
    }
  }
}
