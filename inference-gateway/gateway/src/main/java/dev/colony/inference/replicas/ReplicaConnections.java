package dev.colony.inference.replicas;

import java.net.http.HttpClient;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * HTTP clients to model servers. Of the connections that have no call such a client keeps {@value
 * #IDLE} open: each takes about 25 KB, for half a minute. The JDK bounds its pools by a property of
 * the JVM, which is set here unless it is set, and read with the first client of a JVM: one that a
 * program has made before leaves them unbounded.
 */
public final class ReplicaConnections {

  private static final int IDLE = 256;
  private static final String POOL_SIZE = "jdk.httpclient.connectionPoolSize";

  static {
    if (System.getProperty(POOL_SIZE) == null) {
      System.setProperty(POOL_SIZE, Integer.toString(IDLE));
    }
  }

  private ReplicaConnections() {}

  /** One client, which serves any number of servers and follows no redirects. */
  public static HttpClient client(Executor executor, Duration connectTimeout) {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .followRedirects(HttpClient.Redirect.NEVER)
        .connectTimeout(connectTimeout)
        .executor(executor)
        .build();
  }
}
