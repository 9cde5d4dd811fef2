dependencies {
    api(project(":deploy:server"))
    api(project(":vcm-cache:documents"))
    api(libs.picocli)
    api(libs.progressbar)
    // what POI logs; without it the start of POI is an error on standard error
    api(libs.log4j.to.slf4j)
    api(libs.jline.reader)
    testImplementation(project(path = ":deploy:server", configuration = "testJar"))
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.kubernetes.client)
    testImplementation(libs.kubernetes.server.mock)

    // real code to ask about: RealSourcesTest unpacks it
    testRuntimeOnly("org.apache.lucene:lucene-core:${libs.versions.lucene.sources.get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-actor_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-cluster_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-cluster-sharding_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-persistence_2.13:${libs.versions.pekko.asProvider().get()}:sources")
    testRuntimeOnly("org.apache.pekko:pekko-remote_2.13:${libs.versions.pekko.asProvider().get()}:sources")
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

// Test fixtures for the other modules: the command line in this JVM and in one of its own.
val testJar by configurations.creating

val testJarTask = tasks.register<Jar>("testJar") {
    archiveClassifier.set("tests")
    from(sourceSets.test.get().output)
}

artifacts {
    add(testJar.name, testJarTask)
}
