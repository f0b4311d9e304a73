#!/usr/bin/env python3
"""Worlds by hand: closed forms, arrays, callbacks, errors, and that the module and the library fit."""
import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import scree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def rolling_world(**members):
    world = scree.World(**members)
    world.add_body(shape=world.half_space(), kind="fixed")
    ball = world.add_body(shape=world.sphere(0.1), density=1000, position=(0, 0, 0.1), velocity=(1.4, 0, 0))
    return world, ball, world.stepper()


class Fit(unittest.TestCase):
    def test_layout_is_the_compilers(self):
        """Sizes and offsets by the compiler and by cffi."""
        said = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "write-python"), os.path.join(ROOT, "include"),
                               "--layout"], check=True, capture_output=True, text=True).stdout.split("\n")
        seen = 0
        for line in filter(None, said):
            name, number = line.split()
            struct, _, member = name.partition(".")
            value = scree.ffi.offsetof(struct, member) if member else scree.ffi.sizeof(struct)
            self.assertEqual(value, int(number), name)
            seen += 1
        self.assertGreater(seen, 300)

    def test_other_headers_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for source, wanted in (("const char *scree_headers_hash(void) { return \"other\"; }", "other headers"),
                                   ("int nothing;", "other headers")):
                path = os.path.join(folder, "lib.so")
                subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", path], input=source, text=True, check=True)
                got = subprocess.run([sys.executable, "-c", "import scree"], env={**os.environ, "SCREE_LIBRARY": path},
                                     capture_output=True, text=True)
                self.assertNotEqual(got.returncode, 0)
                self.assertIn("ImportError", got.stderr)
                self.assertIn(wanted, got.stderr)

    def test_a_named_library_must_be_there(self):
        got = subprocess.run([sys.executable, "-c", "import scree"], env={**os.environ, "SCREE_LIBRARY": "/no/such.so"},
                             capture_output=True, text=True)
        self.assertIn("SCREE_LIBRARY", got.stderr)
        self.assertIn("/no/such.so", got.stderr)

    def test_documented_by_the_headers(self):
        self.assertIn("Poisson", scree.World.add_material.__doc__)
        self.assertIn("torque about its origin", scree.Stepper.get_contact_force.__doc__)
        self.assertEqual(scree.BODY_FIXED, 1)
        self.assertEqual(scree.CCP_WORLD, 0xFFFFFFFF)


class Questions(unittest.TestCase):
    def test_ray_closest_contacts_region(self):
        world = scree.World()
        floor = world.add_body(shape=world.half_space(), kind="fixed")
        low = world.add_body(shape=world.sphere(0.5), density=1, position=(0, 0, 0.4))
        high = world.add_body(shape=world.sphere(0.5), density=1, position=(0, 0, 2.0))
        hit = world.cast_ray((0, 0, 9), (0, 0, -3))
        self.assertEqual(world.body_at(hit.body.index), high)
        self.assertAlmostEqual(hit.distance, 6.5)
        self.assertEqual(list(hit.normal), [0, 0, 1])
        self.assertAlmostEqual(world.cast_ray((0, 0, 9), (0, 0, -1), left_out=high).distance, 8.1)
        self.assertIsNone(world.cast_ray((0, 0, 9), (0, 0, -1), reach=6))
        self.assertIsNone(world.cast_ray((0, 0, 9), (0, 0, 1)))
        self.assertAlmostEqual(world.find_closest(low, high).distance, 0.6)
        self.assertIsNone(world.find_closest(low, high, within=0.5))
        contacts = world.find_contacts()
        self.assertEqual(len(contacts), 1)
        self.assertAlmostEqual(contacts[0]["gap"], -0.1)
        self.assertEqual(len(world.find_contacts(0.7)), 2)
        self.assertEqual(world.find_bodies((-1, -1, 1), (1, 1, 3)), [high])
        self.assertEqual(world.find_bodies((-1, -1, -2), (1, 1, -1)), [floor])
        with self.assertRaises(scree.Error):
            world.cast_ray((0, 0, 0), (0, 0, 0))


class Closed(unittest.TestCase):
    def test_sliding_ball_rolls_at_five_sevenths(self):
        world, ball, stepper = rolling_world()
        for _ in range(200):
            info = stepper.step(0.005)
        self.assertTrue(info.converged)
        self.assertAlmostEqual(ball.velocity[0], 1.0, places=6)
        force, _ = stepper.get_contact_force(ball)
        self.assertAlmostEqual(force[2], 1000 * 4 / 3 * np.pi * 1e-3 * 9.81, places=5)
        contact = stepper.contacts[0]
        np.testing.assert_allclose(contact["impulse"] / 0.005, force, rtol=1e-12)
        np.testing.assert_allclose(contact["normal"], (0, 0, 1))

    def test_motor_turns_a_hinge(self):
        world = scree.World(gravity=(0, 0, 0))
        arm = world.add_body(shape=world.box((0.5, 0.1, 0.1)))
        hinge = world.add_joint(kind="hinge", body_b=arm, axis=(0, 0, 1), motor="speed", motor_value=2.0)
        stepper = world.stepper()
        for _ in range(100):
            stepper.step(0.001)
        state = hinge.get_state()
        self.assertAlmostEqual(state.speed, 2.0, places=6)
        self.assertAlmostEqual(state.position, 0.2, delta=3e-3)
        hinge.set_motor("torque", 1.0)
        before = state.speed
        stepper.step(0.001)
        inertia = arm.get_info().principal_inertia
        self.assertGreater(hinge.get_state().speed, before)
        self.assertEqual(len(inertia), 3)

    def test_force_function(self):
        world = scree.World(gravity=(0, 0, 0))
        ball = world.add_body(shape=world.sphere(0.1), mass=2.0)
        times = []

        def push(w, t, h):
            times.append(t)
            ball.add_force((4, 0, 0))

        world.set_force_function(push)
        stepper = world.stepper()
        for _ in range(100):
            stepper.step(0.01)
        self.assertEqual(len(times), 100)
        self.assertAlmostEqual(ball.velocity[0], 2.0, places=9)
        world.set_force_function(lambda w, t, h: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            stepper.step(0.01)
        world.set_force_function(None)
        stepper.step(0.01)

    def test_law_function(self):
        """A law written in Python: a spring that is the library's own one, a fault that undoes the step."""
        ends, kept = [], []
        for law in ({"law": "user"}, {"law": "compliant", "compliance": 0.5 / 2e4}):
            world = scree.World()
            material = world.add_material(**law)
            world.add_body(shape=world.half_space(), kind="fixed", material=material)
            ball = world.add_body(shape=world.sphere(0.1), position=(0, 0, 0.15), velocity=(0.3, 0, 0), material=material)

            def spring(w, h, contacts):
                self.assertIs(w, world)
                contacts["push"], contacts["stiffness"] = -2e4 * contacts["gap"], 2e4
                kept.append(contacts)

            if law["law"] == "user":
                world.set_law_function(spring)
            stepper = world.stepper(tolerance_residual=1e-8)
            for _ in range(300):
                stepper.step(0.001)
            ends.append(ball.position)
        np.testing.assert_allclose(*ends, atol=1e-7)
        self.assertEqual(len({id(array) for array in kept}), len(kept))  # copies: they stay as they were
        self.assertEqual(kept[-1]["body_b"].tolist(), [ball.index])

        def count(w, h, contacts):
            contacts["state"][:, 0] += 1

        seen, world = [], scree.World()
        material = world.add_material(law="user")
        world.add_body(shape=world.half_space(), kind="fixed", material=material)
        world.add_body(shape=world.sphere(0.1), position=(0, 0, 0.1), material=material)
        stepper = world.stepper()
        world.set_law_function(lambda w, h, contacts: seen.extend(contacts["state"][:, 0]), count)
        for _ in range(5):
            stepper.step(0.001)
        blob = stepper.save()
        self.assertEqual(seen, [0, 1, 2, 3, 4])
        stepper.restore(blob)
        stepper.step(0.001)
        self.assertEqual(seen[-1], 5)

        def wrong(w, h, contacts):
            raise KeyError("a typo in a law")

        before = world.hash
        for begin, end, error in ((wrong, None, KeyError), (lambda *_: None, wrong, KeyError)):
            world.set_law_function(begin, end)
            with self.assertRaises(error):
                stepper.step(0.001)
            self.assertEqual(world.hash, before)
        world.set_law_function(lambda w, h, contacts: contacts.__setitem__("friction", -1))
        with self.assertRaisesRegex(scree.InputError, "friction is -1"):
            stepper.step(0.001)
        world.set_law_function(None)
        with self.assertRaisesRegex(scree.InputError, "set_law_function"):
            stepper.step(0.001)
        self.assertEqual(world.hash, before)

    def test_table_motion(self):
        world = scree.World()
        motion = world.add_motion(times=[0, 1], displacements=[[0, 0, 0], [0, 0, 2]])
        plate = world.add_body(shape=world.box((1, 1, 0.1)), kind="prescribed", motion=motion)
        stepper = world.stepper()
        for _ in range(50):
            stepper.step(0.01)
        np.testing.assert_allclose(plate.position, (0, 0, 1), atol=1e-12)


class Arrays(unittest.TestCase):
    def test_arrays_are_the_states(self):
        world, ball, stepper = rolling_world()
        held = world.positions
        stepper.step(0.005)
        np.testing.assert_array_equal(world.positions[ball.index], ball.position)
        np.testing.assert_array_equal(world.rotations[ball.index], ball.rotation)
        np.testing.assert_array_equal(world.velocities[ball.index], ball.velocity)
        self.assertIs(world.positions, held)
        with self.assertRaises(ValueError):
            held[0] = 1
        ball.set_state(position=(5, 0, 1))
        np.testing.assert_array_equal(world.positions[ball.index], (5, 0, 1))
        ball.remove()
        self.assertTrue(np.isnan(world.positions[ball.index]).all())
        with self.assertRaises(scree.ArgumentError):
            ball.get_state()

    def test_views_share_the_memory(self):
        world, ball, stepper = rolling_world()
        view = world.view()
        address = view.positions.__array_interface__["data"][0]
        stepper.step(0.005)
        np.testing.assert_array_equal(view.positions[ball.index], ball.position)
        self.assertEqual(view.positions.__array_interface__["data"][0], address)
        self.assertTrue(view.fresh)
        with self.assertRaises(ValueError):
            view.positions[0] = 1

    def test_old_views_read_nan(self):
        world, ball, stepper = rolling_world()
        view, state = world.view(), world.hash
        arrays = view.positions, view.alive
        for i in range(100):
            world.add_body(shape=world.sphere(0.1), position=(i, 5, 5))
        self.assertFalse(view.fresh)
        self.assertTrue(np.isnan(arrays[0]).all())
        self.assertFalse(arrays[1].any())
        new = world.view()
        self.assertEqual(len(new.positions), 102)
        np.testing.assert_array_equal(new.positions[ball.index], ball.position)
        stepper.step(0.005)
        self.assertNotEqual(world.hash, state)

    def test_views_outlive_the_world(self):
        world, ball, stepper = rolling_world()
        positions, copy = world.view().positions, world.positions.copy()
        stepper.close()
        world.close()
        del world, ball, stepper
        gc.collect()
        np.testing.assert_array_equal(positions, copy)

    def test_contacts_stay(self):
        world, _, stepper = rolling_world()
        stepper.step(0.005)
        before = stepper.contacts
        copy = before.copy()
        for _ in range(5):
            stepper.step(0.005)
        np.testing.assert_array_equal(before, copy)


class Behaviour(unittest.TestCase):
    def test_messages(self):
        world = scree.World()
        with self.assertRaisesRegex(scree.Error, "radius"):
            world.sphere(-1)
        with self.assertRaisesRegex(TypeError, "did you mean 'position'"):
            world.add_body(positon=(0, 0, 0))
        with self.assertRaisesRegex(ValueError, "3 are expected"):
            world.add_body(position=(0, 0))
        with self.assertRaisesRegex(ValueError, "dynamic, fixed, prescribed"):
            world.add_body(kind="solid")
        with self.assertRaises(ValueError):
            world.sphere(-1)  # a scree error is the kind of Python's that fits
        world.close()
        with self.assertRaises(scree.ClosedError):
            world.body_count

    def test_save_and_restore_bits(self):
        world, _, stepper = rolling_world()
        for _ in range(20):
            stepper.step(0.005)
        blob = stepper.save()
        for _ in range(20):
            stepper.step(0.005)
        wanted = world.hash
        stepper.restore(blob)
        for _ in range(20):
            stepper.step(0.005)
        self.assertEqual(world.hash, wanted)
        with self.assertRaises(scree.Error):
            stepper.restore(blob[:50])

    def test_any_order_of_destruction(self):
        for _ in range(20):
            world, ball, stepper = rolling_world()
            world.set_force_function(lambda w, t, h, keep=stepper: None)  # a cycle through the callback
            stepper.step(0.005)
            context = world.context
            context.close()
            world.close()
            stepper.step(0.005)
            del world, ball, stepper, context
        gc.collect()

    def test_the_end_of_the_program(self):
        """Objects that nobody closed are no harm when the interpreter ends."""
        program = ("import scree\nw = scree.World(); w.add_body(shape=w.box((1, 1, 1))); s = w.stepper(); s.step(0.01)\n"
                   "v = w.view(); w.set_force_function(lambda *_: None); s.step(0.01)\nw.render((32, 32), 1, stepper=s)\n"
                   "sim = scree.Sim('rolling'); sim.step()\nprint('done')")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "done\n"), done.stderr)

    def test_others_run_while_it_steps(self):
        """The global lock of Python is free during a step."""
        sim = scree.Sim("settle", sets=["duration=1"])
        for _ in range(3):
            sim.step()
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=count)
        thread.start()
        begin, seconds = counted[0], 0.0
        steps = 0
        while steps < 40 or (counted[0] - begin < 5 * steps and steps < 2000):
            seconds += sim.step().seconds
            steps += 1
        done = counted[0] - begin
        stop.set()
        thread.join()
        # Held all the time, the other thread would get one turn a step at most.
        self.assertGreaterEqual(done, 5 * steps, seconds)


if __name__ == "__main__":
    unittest.main()
