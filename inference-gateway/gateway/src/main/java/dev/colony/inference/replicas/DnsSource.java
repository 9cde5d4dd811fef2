package dev.colony.inference.replicas;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Hashtable;
import java.util.List;
import java.util.Optional;
import javax.naming.NameNotFoundException;
import javax.naming.NamingEnumeration;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;

/**
 * Replicas by DNS, asked anew each time: every address of a name, as of a headless service, or
 * every target of SRV records, of which those of the most preferred priority count. A name that is
 * not there has no replicas.
 *
 * <p>Addresses are asked of the system, which the JVM remembers for up to 30 s and which knows the
 * hosts file too; with a server named, of that one alone.
 */
public final class DnsSource implements ReplicaSource {

  private final URI pattern;
  private final boolean service;
  private final Optional<String> server;

  /**
   * @param pattern the address of a replica with the name in place of the host; for SRV records the
   *     name begins with an underscore, as in {@code http://_llm._tcp.models.example/v1}, and has
   *     no port
   * @param server host and port of a DNS server; empty for the system's
   */
  public DnsSource(URI pattern, Optional<String> server) {
    this.pattern = pattern;
    this.service = host(pattern).startsWith("_");
    this.server = server;
  }

  @Override
  public List<Address> replicas() throws IOException {
    List<Address> found = new ArrayList<>();
    for (String authority : service ? targets() : addresses()) {
      found.add(
          Address.of(
              URI.create(
                  pattern.getScheme()
                      + "://"
                      + authority
                      + (pattern.getRawPath() == null ? "" : pattern.getRawPath()))));
    }
    return found;
  }

  /** Names with underscores are an authority, yet no host to {@link URI}. */
  private static String host(URI uri) {
    return uri.getHost() != null ? uri.getHost() : uri.getRawAuthority().replaceFirst(":\\d+$", "");
  }

  private List<String> addresses() throws IOException {
    String port = pattern.getPort() < 0 ? "" : ":" + pattern.getPort();
    List<String> found = new ArrayList<>();
    if (server.isPresent()) {
      for (String address : records("A")) {
        found.add(address + port);
      }
      for (String address : records("AAAA")) {
        found.add("[" + address + "]" + port);
      }
      return found;
    }
    try {
      for (InetAddress address : InetAddress.getAllByName(host(pattern))) {
        String text = address.getHostAddress();
        found.add((text.contains(":") ? "[" + text + "]" : text) + port);
      }
    } catch (UnknownHostException none) {
      return List.of();
    }
    return found;
  }

  private List<String> targets() throws IOException {
    record Target(int priority, String authority) {}
    List<Target> found = new ArrayList<>();
    for (String one : records("SRV")) {
      String[] parts = one.split(" ");
      if (parts.length == 4) {
        found.add(
            new Target(
                Integer.parseInt(parts[0]), parts[3].replaceFirst("\\.$", "") + ":" + parts[2]));
      }
    }
    int best =
        found.stream()
            .min(Comparator.comparingInt(Target::priority))
            .map(Target::priority)
            .orElse(0);
    return found.stream().filter(one -> one.priority() == best).map(Target::authority).toList();
  }

  private List<String> records(String type) throws IOException {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put("java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory");
    environment.put("java.naming.provider.url", "dns://" + server.orElse(""));
    environment.put("com.sun.jndi.dns.timeout.initial", "1000");
    environment.put("com.sun.jndi.dns.timeout.retries", "2");
    List<String> found = new ArrayList<>();
    DirContext context = null;
    try {
      context = new InitialDirContext(environment);
      Attribute records = context.getAttributes(host(pattern), new String[] {type}).get(type);
      NamingEnumeration<?> all = records == null ? null : records.getAll();
      while (all != null && all.hasMore()) {
        found.add(all.next().toString());
      }
      return found;
    } catch (NameNotFoundException none) {
      return List.of();
    } catch (NamingException failure) {
      throw new IOException("DNS does not tell the replicas of " + host(pattern), failure);
    } finally {
      close(context);
    }
  }

  private static void close(DirContext context) {
    if (context != null) {
      try {
        context.close();
      } catch (NamingException closed) {
        // it has nothing that would stay open
      }
    }
  }
}
