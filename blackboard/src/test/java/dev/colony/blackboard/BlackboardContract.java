package dev.colony.blackboard;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;

/**
 * All that every backend promises, subject by subject. A backend's test extends it and says how to
 * connect.
 */
public abstract class BlackboardContract {

  private final List<Blackboards> opened = new ArrayList<>();

  /** The backend under test. */
  protected abstract Blackboards connect(BlackboardSettings settings);

  /** Whether large values lie in the backend itself, so that their bytes count there. */
  protected boolean holdsValues() {
    return true;
  }

  final Blackboards open(BlackboardSettings settings) {
    Blackboards blackboards = connect(settings);
    opened.add(blackboards);
    return blackboards;
  }

  @AfterEach
  void close() {
    opened.forEach(Blackboards::close);
  }

  @Nested
  class Entries extends EntryContract {
    Entries() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Commits extends CommitContract {
    Commits() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Queries extends QueryContract {
    Queries() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Events extends EventContract {
    Events() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Subscriptions extends SubscriptionContract {
    Subscriptions() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Durables extends DurableContract {
    Durables() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Expiry extends ExpiryContract {
    Expiry() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Evictions extends EvictionContract {
    Evictions() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Inboxes extends InboxContract {
    Inboxes() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Wakes extends WakeContract {
    Wakes() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class TopicsOfScopes extends TopicContract {
    TopicsOfScopes() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Transactions extends TransactionContract {
    Transactions() {
      super(BlackboardContract.this);
    }
  }

  @Nested
  class Backends extends BackendContract {
    Backends() {
      super(BlackboardContract.this);
    }
  }
}
