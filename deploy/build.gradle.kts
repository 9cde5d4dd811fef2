dependencies {
    api(project(":agent-runtime"))
    api(libs.picocli)
    api(libs.progressbar)
    api(libs.bucket4j)
    api(libs.micrometer.registry.prometheus)
    api(libs.pekko.http)
    // pekko-management brings an older one, which does not go with pekko-http
    api(libs.pekko.http.spray.json)
    api(libs.pekko.discovery.kubernetes.api)
    api(libs.pekko.lease.kubernetes)
    api(libs.pekko.management)
    api(libs.pekko.management.cluster.bootstrap)
    api(libs.pekko.management.cluster.http)
    api(libs.pekko.slf4j)
    api(libs.hdrhistogram)
    api(libs.logback.classic)
    testImplementation(project(path = ":inference-gateway", configuration = "testJar"))
    testImplementation(libs.helm.java)
    testImplementation(libs.kubernetes.client)
    testImplementation(libs.kubernetes.server.mock)
    testImplementation(libs.jackson.dataformat.yaml)
    testImplementation(libs.archunit.junit5)
    testImplementation(libs.google.java.format)

    // real code to ask about: RealSourcesTest unpacks it
    testRuntimeOnly("org.apache.lucene:lucene-core:${libs.versions.lucene.sources.get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-actor_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-cluster_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-cluster-sharding_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-persistence_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-remote_2.13:${libs.versions.pekko.asProvider().get()}:sources")
}

// google-java-format reads the compiler's own tree
tasks.test {
    jvmArgs(listOf("api", "code", "file", "parser", "tree", "util").map {
        "--add-exports=jdk.compiler/com.sun.tools.javac.$it=ALL-UNNAMED"
    })
}

// what the launcher starts from: this jar and all it needs, side by side
tasks.register<Sync>("colony") {
    from(tasks.jar, configurations.runtimeClasspath)
    into(layout.buildDirectory.dir("colony/lib"))
}

// the same before anything is packaged: the tests of the image build one of it
tasks.register("runtimeClassPath") {
    val path: FileCollection = sourceSets.main.get().runtimeClasspath
    val file = layout.buildDirectory.file("runtime.classpath")
    inputs.files(path)
    outputs.file(file)
    doLast { file.get().asFile.writeText(path.asPath) }
}
