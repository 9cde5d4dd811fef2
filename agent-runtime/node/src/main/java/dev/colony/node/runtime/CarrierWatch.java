package dev.colony.node.runtime;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps virtual threads going while some of them compute for ever. As many platform threads carry
 * them as there are processors, and Java takes none from a virtual thread that does not block: an
 * agent's code that loops keeps its carrier for good, and when all are kept, no agent of the node
 * goes on. So one platform thread starts a virtual one now and then; where that does not get its
 * turn in time, the scheduler is given one more carrier, up to a bound. The loops and the others
 * share the processors from then on, as the operating system sees fit.
 *
 * <p>The scheduler is one per process, and so is the watch. It is managed through JMX since JDK 24;
 * under an older one a stall is reported and nothing else can be done.
 */
final class CarrierWatch {

  private static final Logger LOG = LoggerFactory.getLogger(CarrierWatch.class);
  private static final String PARALLELISM = "Parallelism";

  /** How long a new virtual thread may wait for its turn before a carrier is added. */
  private static final Duration STALL = Duration.ofSeconds(1);

  /** How many are added over the node's life, and so how many loops it survives. */
  private static final int MOST_ADDED = 32;

  /**
   * The scheduler adds a carrier when a task comes to one of its queues that is empty. A platform
   * thread has a queue by its number, which others may share, so that several new ones try.
   */
  private static final int NUDGES = 4;

  private static boolean started;

  private final MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
  private final ObjectName scheduler;
  private int added;

  private CarrierWatch() throws JMException {
    this.scheduler = new ObjectName("jdk.management:type=VirtualThreadScheduler");
  }

  /** Starts the process's watch, once. */
  static synchronized void start() {
    if (started) {
      return;
    }
    try {
      Thread.ofPlatform().daemon().name("carrier-watch").start(new CarrierWatch()::run);
      started = true;
    } catch (JMException malformed) {
      throw new IllegalStateException(malformed);
    }
  }

  private void run() {
    try {
      while (added < MOST_ADDED) {
        if (stalls()) {
          add();
        }
        TimeUnit.NANOSECONDS.sleep(STALL.toNanos());
      }
      LOG.error(
          "{} carriers of virtual threads were added because code computes without end, as many as"
              + " may be: restart the node",
          added);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (JMException unmanaged) {
      LOG.warn(
          "virtual threads do not get their turn, because code computes without end, and this Java"
              + " cannot be given more carriers: {}",
          unmanaged.toString());
    }
  }

  private boolean stalls() throws InterruptedException {
    CountDownLatch turn = new CountDownLatch(1);
    Thread.startVirtualThread(turn::countDown);
    return !turn.await(STALL.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void add() throws InterruptedException, JMException {
    int before = (Integer) beans.getAttribute(scheduler, PARALLELISM);
    beans.setAttribute(scheduler, new Attribute(PARALLELISM, before + 1));
    added++;
    for (int i = 0; i < NUDGES; i++) {
      Thread.ofPlatform().start(() -> Thread.startVirtualThread(() -> {})).join();
    }
    LOG.warn(
        "virtual threads did not get their turn for {}: there are {} carriers now",
        STALL,
        before + 1);
  }
}
